"""Stands in for rules_lint, of which a build without a network has nothing: the four names that the aspect loads."""

LintOptionsInfo = provider(fields = ["color", "fail_on_violation"])

def _lint_options_impl(ctx):
    return LintOptionsInfo(color = ctx.attr.color, fail_on_violation = ctx.attr.fail_on_violation)

lint_options = rule(implementation = _lint_options_impl, attrs = {"color": attr.bool(), "fail_on_violation": attr.bool()})

def should_visit(rule, allow_kinds):
    return "no-lint" not in rule.attr.tags and rule.kind in allow_kinds

def _file(ctx, target, mnemonic, suffix):
    return ctx.actions.declare_file("%s.%s.%s" % (target.label.name, mnemonic, suffix))

def output_files(mnemonic, target, ctx):
    fails = ctx.attr._options[LintOptionsInfo].fail_on_violation
    human = struct(out = _file(ctx, target, mnemonic, "out"), exit_code = None if fails else _file(ctx, target, mnemonic, "out.exit_code"))
    machine = struct(out = _file(ctx, target, mnemonic, "report"), exit_code = None if fails else _file(ctx, target, mnemonic, "report.exit_code"))
    return struct(human = human, machine = machine), OutputGroupInfo(
        rules_lint_human = depset([f for f in [human.out, human.exit_code] if f]),
        rules_lint_machine = depset([f for f in [machine.out, machine.exit_code] if f]),
    )

def noop_lint_action(ctx, outputs):
    files = [f for f in [outputs.human.out, outputs.human.exit_code, outputs.machine.out, outputs.machine.exit_code] if f]
    ctx.actions.run_shell(outputs = files, command = "for f in %s; do echo 0 >$f; done" % " ".join([f.path for f in files]))
