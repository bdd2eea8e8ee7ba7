/* capabilities.c - drop all capabilities but those for sampling processes. */
#include "os/capabilities.h"

#include <err.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

static const uint64_t for_sampling = BIT(CAP_SYS_PTRACE) |
				     BIT(CAP_DAC_READ_SEARCH) |
				     BIT(CAP_CHECKPOINT_RESTORE) |
				     BIT(CAP_SYS_NICE);
static const uint64_t for_jvm_attach = BIT(CAP_SETUID) | BIT(CAP_SETGID) |
				       BIT(CAP_SYS_CHROOT);

/* The format of capset(2): 32 bits in each element, the lowest first. */
struct capabilities {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct part[_LINUX_CAPABILITY_U32S_3];
};

static bool
get(struct capabilities *c)
{
	*c = (struct capabilities){ .header = { _LINUX_CAPABILITY_VERSION_3,
						0 } };
	return syscall(SYS_capget, &c->header, c->part) == 0;
}

/* Clearing inheritable capabilities clears the ambient ones as well. */
static bool
keep(uint64_t wanted)
{
	struct capabilities c;
	int i;

	if (!get(&c))
		return false;
	for (i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		c.part[i].permitted &= (uint32_t)(wanted >> 32 * i);
		c.part[i].effective &= c.part[i].permitted;
		c.part[i].inheritable = 0;
	}
	return syscall(SYS_capset, &c.header, c.part) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

void
capabilities_keep_ptrace(bool for_jvms)
{
	if (!keep(for_jvms ? for_sampling | for_jvm_attach : for_sampling))
		err(2, "dropping capabilities");
}

bool
capabilities_drop_all(void)
{
	return keep(0);
}

bool
capabilities_have_ptrace(void)
{
	struct capabilities c;

	return get(&c) && (c.part[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective &
			   CAP_TO_MASK(CAP_SYS_PTRACE)) != 0;
}
