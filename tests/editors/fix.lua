-- Opens kernel.cu, waits for its diagnostics, applies the preferred fix, and waits until they are gone. Writes what it saw as
-- JSON into the file named in $REPORT.
local seen = {}

local function finish()
  local file = assert(io.open(os.getenv("REPORT"), "w"))
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd("silent! wall")
  vim.cmd("qall!")
end

local function apply_fix(client)
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  local diagnostic = vim.diagnostic.get(0)[1]
  params.range = {
    start = { line = diagnostic.lnum, character = diagnostic.col },
    ["end"] = { line = diagnostic.end_lnum, character = diagnostic.end_col },
  }
  params.context = { diagnostics = {} }
  local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 8000)
  for _, action in ipairs(answers[client.id].result or {}) do
    if action.isPreferred then
      seen.action = action.title
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      return
    end
  end
end

local ok, message = pcall(function()
  vim.cmd("edit kernel.cu")
  seen.filetype = vim.bo.filetype
  vim.wait(8000, function()
    return #vim.diagnostic.get(0) > 0
  end, 20)
  seen.before = vim.tbl_map(function(d)
    return { line = d.lnum + 1, message = d.message, source = d.source }
  end, vim.diagnostic.get(0))
  local client = vim.lsp.get_active_clients()[1]
  seen.root = client.config.root_dir
  apply_fix(client)
  vim.wait(8000, function()
    return #vim.diagnostic.get(0) == 0
  end, 20)
  seen.after = #vim.diagnostic.get(0)
  client.stop()
end)
if not ok then
  seen.error = message
end
finish()
