#ifndef CCRYPTO_H
#define CCRYPTO_H
#include <stddef.h>
#include <stdint.h>

/// AES-CMAC with a 128-bit key. Returns 0, or -1 if libcrypto cannot be loaded or fails.
int ccrypto_aes_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t mac[16]);

/// SHA-256. Returns 0, or -1 if libcrypto cannot be loaded or fails.
int ccrypto_sha256(const uint8_t *message, size_t count, uint8_t digest[32]);

/// AES of one block (FIPS 197) with a key of 16, 24 or 32 bytes. Returns 0, or -1 if libcrypto
/// cannot be loaded or fails.
int ccrypto_aes(const uint8_t *key, size_t key_count, const uint8_t block[16], uint8_t result[16]);

/// Checks and decrypts AES-CCM (RFC 3610) with a 128-bit key. Returns 0, 1 if the tag does not
/// match, or -1 if libcrypto cannot be loaded or fails.
int ccrypto_aes_ccm_open(const uint8_t key[16], const uint8_t *nonce, size_t nonce_count, const uint8_t *tag, size_t tag_count,
                         const uint8_t *message, size_t count, uint8_t *result);

/// Multiplies a point of the curve P-256, or its generator if both are NULL, by a number. Big
/// endian. Returns 0; 1 if the number is not a private key or the point is not on the curve; or -1
/// if libcrypto cannot be loaded or fails.
int ccrypto_p256(const uint8_t scalar[32], const uint8_t *peer_x, const uint8_t *peer_y, uint8_t x[32], uint8_t y[32]);

/// `OpenSSL 3.0.15 3 Sep 2024`; NULL if libcrypto cannot be loaded.
const char *ccrypto_version(void);
#endif
