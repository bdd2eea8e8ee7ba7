/* rights.c - the capabilities that looking at processes takes, and no more. */
#include "rights.h"

#include <err.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

static const uint64_t to_look = BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) |
				BIT(CAP_CHECKPOINT_RESTORE) | BIT(CAP_SYS_NICE);
static const uint64_t to_ask = BIT(CAP_SETUID) | BIT(CAP_SETGID) |
			       BIT(CAP_SYS_CHROOT);

/* As the kernel takes them: 32 in each element, the lowest first. */
struct rights {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct part[_LINUX_CAPABILITY_U32S_3];
};

static bool
get(struct rights *r)
{
	*r = (struct rights){ .header = { _LINUX_CAPABILITY_VERSION_3, 0 } };
	return syscall(SYS_capget, &r->header, r->part) == 0;
}

/* Capabilities that are not inheritable are not ambient, either. */
static bool
keep(uint64_t wanted)
{
	struct rights r;
	int i;

	if (!get(&r))
		return false;
	for (i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		r.part[i].permitted &= (uint32_t)(wanted >> 32 * i);
		r.part[i].effective &= r.part[i].permitted;
		r.part[i].inheritable = 0;
	}
	return syscall(SYS_capset, &r.header, r.part) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

void
rights_keep_to_look(bool asks_jvms)
{
	if (!keep(asks_jvms ? to_look | to_ask : to_look))
		err(2, "giving up capabilities");
}

bool
rights_keep_none(void)
{
	return keep(0);
}

bool
rights_to_look(void)
{
	struct rights r;

	return get(&r) && (r.part[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective &
			   CAP_TO_MASK(CAP_SYS_PTRACE)) != 0;
}
