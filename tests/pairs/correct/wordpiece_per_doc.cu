// Greedy WordPiece tokenisation; a document is processed by one thread into its own output window.
#include <cuda_runtime.h>
#include <cstdint>
#include <numeric>
#include <vector>

struct Trie {
  const int* first_child;    // per node, index of the 256-wide child row or -1
  const int* child;          // rows of 256 entries
  const int* token;          // token id of a node, -1 when none
};

struct DocBatch {
  const uint8_t* text;
  const int* text_off;       // docs + 1
  const int* out_off;        // docs + 1, window of doc d holds text length + 2 tokens
  int docs;
};

__device__ int longest_match(const Trie& t, const uint8_t* s, int n, int* len) {
  int node = 0, best = -1;
  *len = 1;
  for (int i = 0; i < n; ++i) {
    const int row = t.first_child[node];
    if (row < 0) break;
    node = t.child[row * 256 + s[i]];
    if (node < 0) break;
    if (t.token[node] >= 0) {
      best = t.token[node];
      *len = i + 1;
    }
  }
  return best;
}

__global__ void tokenize(Trie trie, DocBatch b, int cls, int sep, int unk, int* out, int* out_len, int* pos_of_byte) {
  const int d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= b.docs) return;
  const uint8_t* s = b.text + b.text_off[d];
  const int n = b.text_off[d + 1] - b.text_off[d];
  int* dst = out + b.out_off[d];
  int* map = pos_of_byte + b.text_off[d];
  int k = 0;
  dst[k++] = cls;
  for (int i = 0; i < n;) {
    if (s[i] == ' ') {
      map[i++] = -1;
      continue;
    }
    int len;
    const int tok = longest_match(trie, s + i, n - i, &len);
    if (tok >= 0) {
      dst[k] = tok;
    } else if (k > 0 && dst[k - 1] == unk) {
      --k;   // merge runs of unknown bytes
    } else {
      dst[k] = unk;
    }
    for (int j = 0; j < len; ++j) map[i + j] = k;
    ++k;
    i += len;
  }
  dst[k++] = sep;
  out_len[d] = k;
}

struct Tokenized {
  std::vector<int> window;
  int* d_tokens;
  int* d_len;
  int* d_map;
};

Tokenized run_tokenizer(const Trie& trie, const uint8_t* d_text, const std::vector<int>& text_off) {
  const int docs = (int)text_off.size() - 1;
  Tokenized r;
  r.window.assign(docs + 1, 0);
  for (int d = 0; d < docs; ++d) r.window[d + 1] = r.window[d] + text_off[d + 1] - text_off[d] + 2;
  int *d_to, *d_oo;
  cudaMalloc(&d_to, (docs + 1) * sizeof(int));
  cudaMalloc(&d_oo, (docs + 1) * sizeof(int));
  cudaMemcpy(d_to, text_off.data(), (docs + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_oo, r.window.data(), (docs + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMalloc(&r.d_tokens, r.window[docs] * sizeof(int));
  cudaMalloc(&r.d_len, docs * sizeof(int));
  cudaMalloc(&r.d_map, (text_off[docs] + 1) * sizeof(int));
  DocBatch b = {d_text, d_to, d_oo, docs};
  tokenize<<<(docs + 63) / 64, 64>>>(trie, b, 101, 102, 100, r.d_tokens, r.d_len, r.d_map);
  cudaDeviceSynchronize();
  cudaFree(d_to);
  cudaFree(d_oo);
  return r;
}
