#include "cbluez.h"
