// OpenSSL 3.0 deprecates the CMAC functions in favour of EVP_MAC, but every libcrypto.so.3 has
// them, and they need half the code.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "ccrypto.h"
#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/cmac.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

// Loading libcrypto takes half a millisecond and few runs need it, so it is loaded at its first
// use.
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

int ccrypto_aes(const uint8_t *key, size_t key_count, const uint8_t block[16], uint8_t result[16]) {
  void *library = ccrypto_library();
  if (!library) return -1;
  __typeof__(&EVP_CIPHER_CTX_new) make = (__typeof__(&EVP_CIPHER_CTX_new))dlsym(library, "EVP_CIPHER_CTX_new");
  __typeof__(&EVP_CIPHER_CTX_free) release = (__typeof__(&EVP_CIPHER_CTX_free))dlsym(library, "EVP_CIPHER_CTX_free");
  __typeof__(&EVP_EncryptInit_ex) init = (__typeof__(&EVP_EncryptInit_ex))dlsym(library, "EVP_EncryptInit_ex");
  __typeof__(&EVP_EncryptUpdate) update = (__typeof__(&EVP_EncryptUpdate))dlsym(library, "EVP_EncryptUpdate");
  const char *name = key_count == 16 ? "EVP_aes_128_ecb" : key_count == 24 ? "EVP_aes_192_ecb" : "EVP_aes_256_ecb";
  __typeof__(&EVP_aes_128_ecb) cipher = (__typeof__(&EVP_aes_128_ecb))dlsym(library, name);
  if (!make || !release || !init || !update || !cipher) return -1;
  if (key_count != 16 && key_count != 24 && key_count != 32) return -1;
  EVP_CIPHER_CTX *context = make();
  if (!context) return -1;
  // A whole block is written at once, before any padding, and the context is freed unfinished.
  int length = 0;
  int good = init(context, cipher(), 0, key, 0) && update(context, result, &length, block, 16) && length == 16;
  release(context);
  return good ? 0 : -1;
}

int ccrypto_aes_ccm_open(const uint8_t key[16], const uint8_t *nonce, size_t nonce_count, const uint8_t *tag, size_t tag_count,
                         const uint8_t *message, size_t count, uint8_t *result) {
  void *library = ccrypto_library();
  if (!library) return -1;
  __typeof__(&EVP_CIPHER_CTX_new) make = (__typeof__(&EVP_CIPHER_CTX_new))dlsym(library, "EVP_CIPHER_CTX_new");
  __typeof__(&EVP_CIPHER_CTX_free) release = (__typeof__(&EVP_CIPHER_CTX_free))dlsym(library, "EVP_CIPHER_CTX_free");
  __typeof__(&EVP_CIPHER_CTX_ctrl) control = (__typeof__(&EVP_CIPHER_CTX_ctrl))dlsym(library, "EVP_CIPHER_CTX_ctrl");
  __typeof__(&EVP_DecryptInit_ex) init = (__typeof__(&EVP_DecryptInit_ex))dlsym(library, "EVP_DecryptInit_ex");
  __typeof__(&EVP_DecryptUpdate) update = (__typeof__(&EVP_DecryptUpdate))dlsym(library, "EVP_DecryptUpdate");
  __typeof__(&EVP_aes_128_ccm) cipher = (__typeof__(&EVP_aes_128_ccm))dlsym(library, "EVP_aes_128_ccm");
  if (!make || !release || !control || !init || !update || !cipher) return -1;
  EVP_CIPHER_CTX *context = make();
  if (!context) return -1;
  int length = 0;
  int is_ready = init(context, cipher(), 0, 0, 0) && control(context, EVP_CTRL_AEAD_SET_IVLEN, (int)nonce_count, 0)
    && control(context, EVP_CTRL_AEAD_SET_TAG, (int)tag_count, (void *)tag) && init(context, 0, 0, key, nonce)
    && update(context, 0, &length, 0, (int)count);
  // The tag is checked before any of the message is returned.
  int fits = is_ready && update(context, result, &length, message, (int)count) > 0 && length == (int)count;
  release(context);
  return fits ? 0 : is_ready ? 1 : -1;
}

// scalar * point, or scalar * generator without a point. Big endian, 32 bytes each.
int ccrypto_p256(const uint8_t scalar[32], const uint8_t *peer_x, const uint8_t *peer_y, uint8_t x[32], uint8_t y[32]) {
  void *library = ccrypto_library();
  if (!library) return -1;
  __typeof__(&EC_GROUP_new_by_curve_name) make_group = (__typeof__(&EC_GROUP_new_by_curve_name))dlsym(library, "EC_GROUP_new_by_curve_name");
  __typeof__(&EC_GROUP_free) free_group = (__typeof__(&EC_GROUP_free))dlsym(library, "EC_GROUP_free");
  __typeof__(&EC_GROUP_get0_order) order = (__typeof__(&EC_GROUP_get0_order))dlsym(library, "EC_GROUP_get0_order");
  __typeof__(&EC_POINT_new) make_point = (__typeof__(&EC_POINT_new))dlsym(library, "EC_POINT_new");
  __typeof__(&EC_POINT_clear_free) free_point = (__typeof__(&EC_POINT_clear_free))dlsym(library, "EC_POINT_clear_free");
  __typeof__(&EC_POINT_mul) multiply = (__typeof__(&EC_POINT_mul))dlsym(library, "EC_POINT_mul");
  __typeof__(&EC_POINT_is_on_curve) is_on_curve = (__typeof__(&EC_POINT_is_on_curve))dlsym(library, "EC_POINT_is_on_curve");
  __typeof__(&EC_POINT_set_affine_coordinates) set =
    (__typeof__(&EC_POINT_set_affine_coordinates))dlsym(library, "EC_POINT_set_affine_coordinates");
  __typeof__(&EC_POINT_get_affine_coordinates) get =
    (__typeof__(&EC_POINT_get_affine_coordinates))dlsym(library, "EC_POINT_get_affine_coordinates");
  __typeof__(&BN_new) make_number = (__typeof__(&BN_new))dlsym(library, "BN_new");
  __typeof__(&BN_clear_free) free_number = (__typeof__(&BN_clear_free))dlsym(library, "BN_clear_free");
  __typeof__(&BN_bin2bn) number_of = (__typeof__(&BN_bin2bn))dlsym(library, "BN_bin2bn");
  __typeof__(&BN_bn2binpad) octets_of = (__typeof__(&BN_bn2binpad))dlsym(library, "BN_bn2binpad");
  __typeof__(&BN_is_zero) is_zero = (__typeof__(&BN_is_zero))dlsym(library, "BN_is_zero");
  __typeof__(&BN_cmp) compare = (__typeof__(&BN_cmp))dlsym(library, "BN_cmp");
  __typeof__(&BN_set_flags) set_flags = (__typeof__(&BN_set_flags))dlsym(library, "BN_set_flags");
  if (!make_group || !free_group || !order || !make_point || !free_point || !multiply || !is_on_curve || !set || !get || !make_number
      || !free_number || !number_of || !octets_of || !is_zero || !compare || !set_flags)
    return -1;
  EC_GROUP *group = make_group(NID_X9_62_prime256v1);
  EC_POINT *peer = group ? make_point(group) : NULL, *product = group ? make_point(group) : NULL;
  BIGNUM *private = make_number(), *first = make_number(), *second = make_number();
  int answer = -1;
  if (group && peer && product && private && first && second && number_of(scalar, 32, private)) {
    set_flags(private, BN_FLG_CONSTTIME);
    answer = 1;
    // A private key is 1 to n - 1. Setting coordinates checks the equation of the curve.
    int fits = !is_zero(private) && compare(private, order(group)) < 0;
    if (fits && peer_x && peer_y) {
      fits = number_of(peer_x, 32, first) && number_of(peer_y, 32, second) && set(group, peer, first, second, NULL) == 1
        && is_on_curve(group, peer, NULL) == 1 && multiply(group, product, NULL, peer, private, NULL);
    } else if (fits) {
      fits = multiply(group, product, private, NULL, NULL, NULL);
    }
    // The point at infinity has no coordinates.
    if (fits && get(group, product, first, second, NULL) && octets_of(first, x, 32) == 32 && octets_of(second, y, 32) == 32) answer = 0;
  }
  if (first) free_number(first);
  if (second) free_number(second);
  if (private) free_number(private);
  if (peer) free_point(peer);
  if (product) free_point(product);
  if (group) free_group(group);
  return answer;
}

const char *ccrypto_version(void) {
  void *library = ccrypto_library();
  if (!library) return NULL;
  __typeof__(&OpenSSL_version) version = (__typeof__(&OpenSSL_version))dlsym(library, "OpenSSL_version");
  return version ? version(OPENSSL_VERSION) : NULL;
}
