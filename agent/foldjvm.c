/* foldjvm.c - an agent that logs the compiled code of a JVM in a jitdump. */
#include "code_log.h"
#include "debug_info.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A JVM has one agent of this name, and its events come from several threads:
 * so these are global, and locked.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct code_log *code_log; /* NULL: nothing is logged */
static jvmtiEnv *environment;

static const jvmtiEvent events[] = { JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
				     JVMTI_EVENT_COMPILED_METHOD_LOAD,
				     JVMTI_EVENT_VM_DEATH };
enum { EVENTS = sizeof(events) / sizeof(*events) };

static void
end_log(void)
{
	if (code_log != NULL)
		code_log_free(code_log);
	code_log = NULL;
}

static void
log_code(const char *name, const void *code, size_t size,
	 const struct bytes *debug)
{
	pthread_mutex_lock(&lock);
	if (code_log != NULL &&
	    !code_log_load(code_log, name, code, size, debug)) {
		fprintf(stderr,
			"libfoldjvm: the jitdump ends here, because a write "
			"failed: %s\n",
			strerror(errno));
		end_log();
	}
	pthread_mutex_unlock(&lock);
}

static bool
is_logging(void)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = code_log != NULL;
	pthread_mutex_unlock(&lock);
	return is;
}

/* Events. */

static void JNICALL
on_compiled(jvmtiEnv *jvmti, jmethodID method, jint size, const void *code,
	    jint places, const jvmtiAddrLocationMap *place,
	    const void *compile_info)
{
	struct bytes name = { 0 }, debug = { 0 };

	(void)places;
	(void)place;
	if (size <= 0 || !is_logging())
		return;
	if (debug_info_name(jvmti, method, &name) && !name.failed) {
		debug_info_write(jvmti, code, (size_t)size, compile_info,
				 &debug);
		log_code(name.p, code, (size_t)size, &debug);
	}
	free(name.p);
	free(debug.p);
}

static void JNICALL
on_generated(jvmtiEnv *jvmti, const char *name, const void *code, jint size)
{
	const struct bytes none = { 0 };

	(void)jvmti;
	if (size > 0)
		log_code(name, code, (size_t)size, &none);
}

static void JNICALL
on_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	pthread_mutex_lock(&lock);
	end_log();
	pthread_mutex_unlock(&lock);
}

/* Enable or disable all events.  NULL, or the reason of a failure. */
static const char *
set_events(jvmtiEventMode mode)
{
	jvmtiEnv *jvmti = environment;
	int i;

	for (i = 0; i < EVENTS; i++)
		if ((*jvmti)->SetEventNotificationMode(
			jvmti, mode, events[i], NULL) != JVMTI_ERROR_NONE)
			return "the JVM sends no events of compiled code";
	return NULL;
}

/* Make the environment.  NULL, or the reason of a failure. */
static const char *
prepare(JavaVM *vm)
{
	const jvmtiEventCallbacks callbacks = {
		.CompiledMethodLoad = on_compiled,
		.DynamicCodeGenerated = on_generated,
		.VMDeath = on_death
	};
	const jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_get_line_numbers = 1,
		.can_get_source_file_name = 1
	};
	void *jvmti = NULL;

	if (environment != NULL)
		return NULL;
	if ((*vm)->GetEnv(vm, &jvmti, JVMTI_VERSION_1_1) != JNI_OK)
		return "the JVM has no JVMTI";
	environment = jvmti;
	if ((*environment)->AddCapabilities(environment, &wanted) ==
		JVMTI_ERROR_NONE &&
	    (*environment)
		    ->SetEventCallbacks(environment, &callbacks,
					(jint)sizeof(callbacks)) ==
		JVMTI_ERROR_NONE)
		return NULL;
	environment = NULL;
	return "the JVM does not report its compiled code";
}

static jint
fail(const char *why)
{
	fprintf(stderr, "libfoldjvm: %s\n", why);
	return JNI_ERR;
}

/*
 * Options are "dir=FOLDER" or "", to begin a jitdump in place of one that is
 * being written, or "stop".
 */
static const char *
set_options(const char *options, char *why, size_t size)
{
	struct code_log *log = NULL;
	const char *folder = NULL;
	const bool stops = options != NULL && strcmp(options, "stop") == 0;

	if (options != NULL && strncmp(options, "dir=", 4) == 0)
		folder = options + 4;
	else if (options != NULL && *options != '\0' && !stops)
		return "the options are dir=FOLDER, or stop";
	if (!stops && (log = code_log_new(folder, why, size)) == NULL)
		return why;
	pthread_mutex_lock(&lock);
	end_log();
	code_log = log;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static jint
start(JavaVM *vm, const char *options, bool runs)
{
	char text[512];
	const char *why = prepare(vm);
	size_t i;

	if (why == NULL)
		why = set_options(options, text, sizeof(text));
	if (why == NULL)
		why = set_events(code_log == NULL ? JVMTI_DISABLE :
						    JVMTI_ENABLE);
	/* A command that cannot be profiled still runs. */
	if (why != NULL && !runs) {
		fail(why);
		return JNI_OK;
	}
	if (why != NULL)
		return fail(why);
	/* What was there before comes as events of now; not the last event. */
	for (i = 0; runs && code_log != NULL && i + 1 < EVENTS; i++)
		if ((*environment)->GenerateEvents(environment, events[i]) !=
		    JVMTI_ERROR_NONE)
			return fail("the JVM does not report earlier code");
	return JNI_OK;
}

JNIEXPORT jint JNICALL
Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return start(vm, options, false);
}

JNIEXPORT jint JNICALL
Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return start(vm, options, true);
}

JNIEXPORT void JNICALL
Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
	pthread_mutex_lock(&lock);
	end_log();
	pthread_mutex_unlock(&lock);
}
