from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="pointdet3d_ops",
    version="0.4.1",
    ext_modules=[
        CUDAExtension(
            name="pointdet3d._C",
            include_dirs=["include"],
            sources=[
                "src/bindings.cpp",
                "src/sampling.cu",
                "src/grouping.cu",
                "src/iou3d_nms.cu",
                "src/roi_pool.cu",
            ],
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "--use_fast_math"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
