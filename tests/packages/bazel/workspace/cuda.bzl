"""What any cuda_library has for an aspect: sources, headers, and a compilation context with those of its dependencies."""

def _cuda_library_impl(ctx):
    context = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        includes = depset(ctx.attr.includes),
        defines = depset(ctx.attr.defines),
    )
    return [DefaultInfo(files = depset(ctx.files.srcs)), cc_common.merge_cc_infos(
        direct_cc_infos = [CcInfo(compilation_context = context)],
        cc_infos = [d[CcInfo] for d in ctx.attr.deps],
    )]

cuda_library = rule(implementation = _cuda_library_impl, attrs = {
    "srcs": attr.label_list(allow_files = True),
    "hdrs": attr.label_list(allow_files = True),
    "deps": attr.label_list(providers = [CcInfo]),
    "includes": attr.string_list(),
    "defines": attr.string_list(),
})
