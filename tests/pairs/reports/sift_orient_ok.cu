#include <cuda_runtime.h>
#include <math_constants.h>

namespace sift {

#define ORI_NBINS 64
#define ORI_THREADS 128

struct Extremum {
    float xpos, ypos, sigma;
    int   octave;
};

struct Plane {
    const float* data;
    int          w, h, pitch;
    __device__ float at( int x, int y ) const { return data[y * pitch + x]; }
};

struct OriParams {
    Plane           plane;
    const Extremum* ext;
    float*          angle;
    float*          weight;
    int             num;
    float           win_factor;
};

__device__ static inline int bin_of( float gx, float gy )
{
    const float th = atan2f( gy, gx ) + CUDART_PI_F;
    const int   b  = __float2int_rd( th * ORI_NBINS / ( 2.0f * CUDART_PI_F ) );
    return b & ( ORI_NBINS - 1 );
}

__global__ void ori_par( OriParams p )
{
    __shared__ float hist[ORI_NBINS];
    __shared__ float smooth[ORI_NBINS];

    const int      tid = threadIdx.x;
    const Extremum e   = p.ext[blockIdx.x];

    if( tid < ORI_NBINS ) {
        hist[tid] = 0.0f;
    }
    __syncthreads();

    const int rad  = max( 1, __float2int_rn( p.win_factor * e.sigma ) );
    const int xmin = max( 1, (int)e.xpos - rad );
    const int xmax = min( p.plane.w - 2, (int)e.xpos + rad );
    const int ymin = max( 1, (int)e.ypos - rad );
    const int ymax = min( p.plane.h - 2, (int)e.ypos + rad );
    const int wx   = xmax - xmin + 1;
    const int wy   = ymax - ymin + 1;
    const int loops = ( wx > 0 && wy > 0 ) ? wx * wy : 0;

    for( int i = tid; i < loops; i += ORI_THREADS ) {
        const int   x  = xmin + i % wx;
        const int   y  = ymin + i / wx;
        const float gx = p.plane.at( x + 1, y ) - p.plane.at( x - 1, y );
        const float gy = p.plane.at( x, y + 1 ) - p.plane.at( x, y - 1 );
        const float dx = x - e.xpos;
        const float dy = y - e.ypos;
        const float w  = __expf( -( dx * dx + dy * dy ) / ( 4.5f * e.sigma * e.sigma ) );
        atomicAdd( &hist[bin_of( gx, gy )], w * hypotf( gx, gy ) );
    }
    __syncthreads();

    if( tid < ORI_NBINS ) {
        const int l = ( tid + ORI_NBINS - 1 ) % ORI_NBINS;
        const int r = ( tid + 1 ) % ORI_NBINS;
        smooth[tid] = ( hist[l] + hist[tid] + hist[r] ) / 3.0f;
    }
    __syncthreads();

    if( tid == 0 ) {
        int best = 0;
        for( int b = 1; b < ORI_NBINS; b++ )
            if( smooth[b] > smooth[best] ) best = b;
        p.angle[blockIdx.x]  = ( best + 0.5f ) * 2.0f * CUDART_PI_F / ORI_NBINS - CUDART_PI_F;
        p.weight[blockIdx.x] = smooth[best];
    }
}

void orientation( const OriParams& p, cudaStream_t stream )
{
    if( p.num == 0 ) return;
    ori_par<<<p.num, ORI_THREADS, 0, stream>>>( p );
}

} // namespace sift
