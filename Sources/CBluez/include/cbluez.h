#ifndef CBLUEZ_H
#define CBLUEZ_H
#define _GNU_SOURCE
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#endif
