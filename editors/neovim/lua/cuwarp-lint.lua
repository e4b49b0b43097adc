-- Starts the language server `cuwarp-lint lsp` for CUDA files. Needs Neovim 0.7 and nothing else.
local M = {}

local defaults = {
  cmd = { "cuwarp-lint", "lsp" },
  filetypes = { "cuda" },
  settings = {}, -- the keys of .cuwarp-lint.yaml
  on_attach = nil, -- function(client, buffer)
}

local clients = {} -- by root folder

-- The folder with the settings or the repository, else that of the file.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ":p:h")
  local marks = { ".cuwarp-lint.yaml", ".cuwarp-lint.yml", ".git", "compile_commands.json" }
  local at = folder
  while true do
    for _, mark in ipairs(marks) do
      if vim.loop.fs_stat(at .. "/" .. mark) then
        return at
      end
    end
    local up = vim.fn.fnamemodify(at, ":h")
    if up == at then
      return folder
    end
    at = up
  end
end

local function attach(options, buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if path == "" or vim.bo[buffer].buftype ~= "" then
    return
  end
  local root = root_of(path)
  if not clients[root] then
    clients[root] = vim.lsp.start_client({
      name = "cuwarp-lint",
      cmd = options.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      settings = { ["cuwarp-lint"] = options.settings },
      init_options = options.settings,
      on_attach = options.on_attach,
      on_exit = function()
        clients[root] = nil
      end,
    })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

function M.setup(options)
  options = vim.tbl_extend("force", defaults, options or {})
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("cuwarp-lint", { clear = true }),
    pattern = options.filetypes,
    callback = function(event)
      attach(options, event.buf)
    end,
  })
end

return M
