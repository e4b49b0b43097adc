/* What is known of library functions beyond the device API's own table: which synchronise no threads, and the contracts
 * of CUB's collectives (collectives.def). docs/internals/models.md says what rests on this. */
#ifndef CW_CUDA_MODELS_H
#define CW_CUDA_MODELS_H

#include <stdbool.h>

/* Does a function of this qualified name surely order no two threads? False: nobody knows. */
bool cw_model_is_syncfree(const char *qualified);

#endif
