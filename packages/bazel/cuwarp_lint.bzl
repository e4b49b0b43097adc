"""A linter aspect for aspect_rules_lint that runs cuwarp-lint over CUDA targets.

Every file is named, nothing is looked for: no configuration but the one given, no cache, no search for headers beyond those of
the target, and the same bytes for the same inputs on every machine.

In `tools/lint/BUILD.bazel`, with cuwarp-lint installed (wheel or .deb) in the image that the actions run in:

```starlark
load("@rules_shell//shell:sh_binary.bzl", "sh_binary")
sh_binary(name = "cuwarp-lint", srcs = ["cuwarp-lint.sh"])  # exec cuwarp-lint "$@"
```

In `tools/lint/linters.bzl`:

```starlark
load("//tools/lint:cuwarp_lint.bzl", "lint_cuwarp_aspect")
cuwarp_lint = lint_cuwarp_aspect(binary = Label("//tools/lint:cuwarp-lint"), config = Label("//:.cuwarp-lint.yaml"))
```

Then `bazel build --aspects=//tools/lint:linters.bzl%cuwarp_lint --output_groups=rules_lint_human //...`, or `aspect lint`.
"""

load("@aspect_rules_lint//lint/private:lint_aspect.bzl", "LintOptionsInfo", "noop_lint_action", "output_files", "should_visit")
load("@rules_cc//cc:defs.bzl", "CcInfo")

# The prefix is what `aspect lint` looks for in names of reports.
_MNEMONIC = "AspectRulesLintCuwarp"
_EXTENSIONS = ["cu", "cuh"]

def _sources(rule):
    generated_too = "lint-genfiles" in rule.attr.tags
    files = []
    for name in ["srcs", "hdrs"]:
        if hasattr(rule.files, name):
            files += [f for f in getattr(rule.files, name) if f.extension in _EXTENSIONS and (f.is_source or generated_too)]
    return files

def _context_arguments(context):
    arguments = ["-I" + path for path in context.includes.to_list() + context.quote_includes.to_list() + context.system_includes.to_list()]
    return arguments + ["-D" + define for define in context.defines.to_list()]

def cuwarp_lint_action(ctx, executable, srcs, headers, stdout, exit_code = None, config = None, args = []):
    """Runs cuwarp-lint as a Bazel action.

    Args:
        ctx: the context of an aspect or rule
        executable: the program, a File
        srcs: the files to lint
        headers: depset of the files that they may include
        stdout: the report
        exit_code: gets the exit status; None makes findings fail the build
        config: the configuration file, or None
        args: more arguments
    """
    settings = ["--config=" + config.path] if config else ["--isolated"]
    arguments = ctx.actions.args()
    arguments.add_all(["--no-cache", "--no-inference", "--jobs=1"] + settings + args)
    arguments.add_all(srcs)
    outputs = [stdout]
    command = "{program} \"$@\" >{out}".format(program = executable.path, out = stdout.path)
    if exit_code:
        command += "; echo $? >" + exit_code.path
        outputs.append(exit_code)
    ctx.actions.run_shell(
        inputs = depset(srcs + ([config] if config else []), transitive = [headers]),
        outputs = outputs,
        tools = [executable],
        command = command,
        arguments = [arguments],
        mnemonic = _MNEMONIC,
        progress_message = "Linting %{label} with cuwarp-lint",
    )

def _cuwarp_aspect_impl(target, ctx):
    if not should_visit(ctx.rule, ctx.attr._rule_kinds):
        return []
    outputs, info = output_files(_MNEMONIC, target, ctx)
    srcs = _sources(ctx.rule)
    if not srcs:
        noop_lint_action(ctx, outputs)
        return [info]
    headers = depset()
    context_arguments = []
    if CcInfo in target:
        headers = target[CcInfo].compilation_context.headers
        context_arguments = _context_arguments(target[CcInfo].compilation_context)
    common = dict(executable = ctx.executable._program, srcs = srcs, headers = headers, config = ctx.files._config[0] if ctx.files._config else None)
    color = ["--color=always"] if ctx.attr._options[LintOptionsInfo].color else []
    arguments = context_arguments + ctx.attr._args
    cuwarp_lint_action(ctx, stdout = outputs.human.out, exit_code = outputs.human.exit_code, args = color + arguments, **common)
    cuwarp_lint_action(ctx, stdout = outputs.machine.out, exit_code = outputs.machine.exit_code, args = ["--output=sarif"] + arguments, **common)
    return [info]

def lint_cuwarp_aspect(binary, config = None, rule_kinds = ["cuda_library", "cuda_objects", "cuda_binary", "cuda_test", "cc_library"], args = []):
    """Makes the aspect.

    Args:
        binary: label of the cuwarp-lint program
        config: label of a `.cuwarp-lint.yaml`, or None
        rule_kinds: the kinds of rules to visit
        args: more arguments for every run, e.g. `["--arch=sm_80"]`
    """
    return aspect(
        implementation = _cuwarp_aspect_impl,
        attrs = {
            "_options": attr.label(default = "@aspect_rules_lint//lint:options", providers = [LintOptionsInfo]),
            "_program": attr.label(default = binary, executable = True, cfg = "exec"),
            "_config": attr.label_list(default = [config] if config else [], allow_files = True),
            "_rule_kinds": attr.string_list(default = rule_kinds),
            "_args": attr.string_list(default = args),
        },
    )
