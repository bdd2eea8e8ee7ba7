/* hotspot_plumbing.c - functions by which HotSpot calls methods. */
#include "interp/hotspot_plumbing.h"

/* How threads begin, and C++ and JNI call Java; 8 to 25. */
static const char *const names[] = {
	"CallJavaMainInNewThread",
	"JavaCalls::*",
	"JavaMain",
	"JavaThread::run",
	"JavaThread::thread_main_inner",
	"Thread::call_run",
	"ThreadJavaMain",
	"_ZN10JavaThread17thread_main_innerEv",
	"_ZN10JavaThread3runEv",
	"_ZN6Thread8call_runEv",
	"_ZN9JavaCalls*",
	"invokeInstanceMainWithArgs",
	"invokeStaticMainWithArgs",
	"invokeStaticMainWithoutArgs",
	"jni_CallStaticVoidMethod*",
	"jni_invoke_nonstatic",
	"jni_invoke_static",
	"os::java_start",
	"thread_entry",
	"thread_native_entry",
};

const struct interp_plumbing hotspot_plumbing = {
	"java", "libjvm", names, sizeof(names) / sizeof(*names)
};
