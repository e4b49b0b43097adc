def _impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(out, "#!/bin/bash\nexec %s \"$@\"\n" % ctx.attr.path, is_executable = True)
    return [DefaultInfo(executable = out)]

program = rule(implementation = _impl, executable = True, attrs = {"path": attr.string()})
