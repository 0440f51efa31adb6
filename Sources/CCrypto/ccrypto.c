// The CMAC functions are marked as deprecated since OpenSSL 3.0 in favour of EVP_MAC; they are in every libcrypto.so.3 and need half the code.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "ccrypto.h"
#include <dlfcn.h>
#include <openssl/cmac.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

// libcrypto costs more than half a millisecond at start and only few runs need it, so it is loaded at its first use.
static void *ccrypto_library(void) {
  static void *library;
  if (!library) library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  return library;
}

int ccrypto_aes_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t mac[16]) {
  void *library = ccrypto_library();
  if (!library) return -1;
  __typeof__(&CMAC_CTX_new) make = (__typeof__(&CMAC_CTX_new))dlsym(library, "CMAC_CTX_new");
  __typeof__(&CMAC_CTX_free) release = (__typeof__(&CMAC_CTX_free))dlsym(library, "CMAC_CTX_free");
  __typeof__(&CMAC_Init) init = (__typeof__(&CMAC_Init))dlsym(library, "CMAC_Init");
  __typeof__(&CMAC_Update) update = (__typeof__(&CMAC_Update))dlsym(library, "CMAC_Update");
  __typeof__(&CMAC_Final) final = (__typeof__(&CMAC_Final))dlsym(library, "CMAC_Final");
  __typeof__(&EVP_aes_128_cbc) cipher = (__typeof__(&EVP_aes_128_cbc))dlsym(library, "EVP_aes_128_cbc");
  if (!make || !release || !init || !update || !final || !cipher) return -1;
  CMAC_CTX *context = make();
  if (!context) return -1;
  size_t length = 16;
  int good = init(context, key, 16, cipher(), 0) && update(context, message, count) && final(context, mac, &length);
  release(context);
  return good ? 0 : -1;
}

int ccrypto_sha256(const uint8_t *message, size_t count, uint8_t digest[32]) {
  void *library = ccrypto_library();
  if (!library) return -1;
  __typeof__(&EVP_Digest) hash = (__typeof__(&EVP_Digest))dlsym(library, "EVP_Digest");
  __typeof__(&EVP_sha256) kind = (__typeof__(&EVP_sha256))dlsym(library, "EVP_sha256");
  if (!hash || !kind) return -1;
  unsigned int length = 32;
  return hash(message, count, digest, &length, kind(), 0) ? 0 : -1;
}

const char *ccrypto_version(void) {
  void *library = ccrypto_library();
  if (!library) return NULL;
  __typeof__(&OpenSSL_version) version = (__typeof__(&OpenSSL_version))dlsym(library, "OpenSSL_version");
  return version ? version(OPENSSL_VERSION) : NULL;
}
