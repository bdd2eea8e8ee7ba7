#!/usr/bin/env bats
# frameworks.bats - the palette that gives frames of the JDK one name.

# shellcheck disable=SC2016 # classes have dollars
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# becomes NAME...: the name that the palette has for all of them.
becomes() {
	local name=$1 got

	shift
	got=$(printf '%s 1\n' "$@" | foldcolor -p frameworks |
		sed 's/ [0-9]*$//' | sort -u)
	[ "$got" = "$name" ] || ! echo "not $name: $got"
}

@test "frameworks: reflection, method handles, lambdas, proxies and streams" {
	becomes '(reflection)' java/lang/reflect/Method.invoke \
		java.lang.reflect.Constructor.newInstanceWithCaller \
		jdk/internal/reflect/NativeMethodAccessorImpl.invoke0 \
		sun.reflect.GeneratedMethodAccessor7.invoke
	becomes '(method handles)' \
		'java/lang/invoke/LambdaForm$MH+0x0800c03000.invoke' \
		'java.lang.invoke.DirectMethodHandle$Holder.invokeStatic' \
		linkToTargetMethod _linkToStatic invokeBasic
	becomes '(lambda)' 'P$$Lambda$1/0x00007f2a.run' \
		'P$$Lambda+0x00007f2a.accept' 'a.b.P$$Lambda.0x07f2a.run'
	becomes '(proxy)' 'com/sun/proxy/$Proxy12.get' 'jdk.proxy2.$Proxy7.put' \
		java/lang/reflect/Proxy.newProxyInstance \
		'App$$EnhancerBySpringCGLIB$$1f2e.save' \
		'App$$SpringCGLIB$$0.save' \
		org.springframework.aop.framework.CglibAopProxy.intercept \
		net/bytebuddy/agent/Installer.get
	becomes '(streams)' 'java/util/stream/ReferencePipeline$3.accept' \
		java.util.stream.IntPipeline.sum
}

@test "frameworks: what a program does keeps its name" {
	local name

	for name in App.invokeBasically 'App.lambda$main$0' ProxyServer.run \
		java/lang/reflect/Field.get my.java.util.stream.Reader.read \
		org/springframework/web/Servlet.doGet java/util/HashMap.get \
		java/lang/invoke2/LambdaForm.f java/lang/Thread.run; do
		becomes "$name" "$name"
	done
}

@test "frameworks: a tier stays, and one frame remains of a run of a tier" {
	printf '%s 3\n' 'a;java/lang/reflect/Method.invoke_[j];sun/reflect/A.f_[j];jdk/internal/reflect/B.g_[i];App.run_[j]' |
		foldcolor -p frameworks | foldgrep --collapse-recursion >got
	[ "$(cat got)" = 'a;(reflection)_[j];(reflection)_[i];App.run_[j] 3' ]
}
