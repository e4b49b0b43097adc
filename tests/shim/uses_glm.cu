// Vector mathematics as splatting and rendering code writes it.
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/gtc/type_ptr.hpp>

__global__ void project(const float *means, const float *view, const float *quats, float2 *out, int n) {
    __shared__ glm::vec3 shared_means[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    glm::mat3 rotation(view[0], view[4], view[8], view[1], view[5], view[9], view[2], view[6], view[10]);
    glm::vec3 translation{view[3], view[7], view[11]};
    shared_means[threadIdx.x] = rotation * glm::make_vec3(means + 3 * i) + translation;
    glm::vec3 p = shared_means[threadIdx.x] * 2.f - 1.f;
    glm::quat q = glm::normalize(glm::quat(quats[4 * i], quats[4 * i + 1], quats[4 * i + 2], quats[4 * i + 3]));
    glm::mat3 r = glm::mat3_cast(q), cov = r * glm::transpose(r);
    glm::mat2 c2 = glm::mat2(cov) + glm::mat2(0.3f);
    glm::mat3x2 jacobian(1.f / p.z, 0.f, 0.f, 1.f / p.z, -p.x / (p.z * p.z), -p.y / (p.z * p.z));
    glm::mat2 image = jacobian * cov * glm::transpose(jacobian);
    glm::vec2 axis = glm::inverse(c2) * glm::vec2(p) + glm::vec2(image[0][1], glm::determinant(image));
    axis = glm::min(glm::max(axis, glm::vec2(0.f)), 4.f);
    p += glm::cross(p, glm::vec3(0.f, 0.f, 1.f)) * glm::dot(p, p) / glm::length(p);
    glm::mat3 d = glm::outerProduct(p, translation) - 0.5f * r;
    glm::fvec4 whole(p, 1.f);
    glm::ivec2 cell = glm::ivec2(axis);
    out[i] = make_float2(axis.x + whole.w + d[0].y, static_cast<float>(cell.x + cell[1]));
}
