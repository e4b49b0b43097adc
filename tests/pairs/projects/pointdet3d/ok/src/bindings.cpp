#include <torch/extension.h>
#include <vector>

at::Tensor furthest_point_sampling(at::Tensor points, int64_t num_samples);
at::Tensor standardize_rows(at::Tensor feats, double eps);
std::vector<at::Tensor> ball_query(at::Tensor new_xyz, at::Tensor xyz, double radius, int64_t nsample);
at::Tensor three_interpolate_grad(at::Tensor grad_out, at::Tensor idx, at::Tensor weight, int64_t m);
at::Tensor assign_voxel_slots(at::Tensor pts, at::Tensor counts, double voxel_size, int64_t gx,
                              int64_t gy, int64_t gz, int64_t max_per_voxel);
at::Tensor nms_mask(at::Tensor boxes, double thresh);
std::vector<at::Tensor> roi_point_pool(at::Tensor rois, at::Tensor pts, at::Tensor feats, int64_t max_pts);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("furthest_point_sampling", &furthest_point_sampling);
  m.def("standardize_rows", &standardize_rows);
  m.def("ball_query", &ball_query);
  m.def("three_interpolate_grad", &three_interpolate_grad);
  m.def("assign_voxel_slots", &assign_voxel_slots);
  m.def("nms_mask", &nms_mask);
  m.def("roi_point_pool", &roi_point_pool);
}
