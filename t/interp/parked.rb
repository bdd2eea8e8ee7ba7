# parked.rb FILE - threads that wait in methods called in every way that there
# is.  FILE gets their backtraces, one a line, root first, as stacksample
# prints them; a C function has the file and line of its caller there.
require 'monitor'
require 'tempfile'

NEVER, UNUSED = IO.pipe

def park(*args)
  NEVER.read(1)
  args[0]
end

class Thing
  attr_reader :n

  def initialize(n)
    @n = n
    park if n == :new
  end

  def <=>(other)
    park(1)
  end

  def to_s
    park('thing')
  end

  def each
    yield 1
    park
  end
  include Enumerable

  def method_missing(name, *args)
    park(name)
  end

  def respond_to_missing?(*)
    true
  end

  define_method(:defined) { |x| park(x) }

  def self.of_class(n)
    new(n).nested
  end

  class << self
    def of_singleton
      park
    end
    alias of_alias of_singleton
  end

  def nested
    [1].each { |x| [2].map { |y| 1.times { park(x + y) } } }
  end

  def with_rescue
    raise 'x'
  rescue StandardError
    park
  end

  def with_ensure
    raise 'x'
  ensure
    park
  end

  def with_match
    'abc'.gsub(/b/) { |m| park($~) }
  end

  def größe
    park
  end

  class Inner
    def call
      instance_eval { park }
    end

    def to_proc
      method(:of_proc).to_proc
    end

    def of_proc(x)
      park(x)
    end
  end
end

class Derived < Thing
  def nested
    super
  end
end

module Helper
  def self.help
    park
  end

  def mixed
    Helper.help
  end
  module_function :mixed
end

module Refined
  refine Integer do
    def parked
      park(self)
    end
  end
end
using Refined

def rec(n)
  n.zero? ? park : rec(n - 1)
end

def by_yield
  yield
end

def by_fiber
  Fiber.new { by_yield { park } }.resume
end

def by_enumerator
  e = Enumerator.new { |y| y << park }
  e.next
end

def by_string
  eval("def evaluated\n  park\nend\nevaluated", TOPLEVEL_BINDING, 'made.rb', 40)
end

def by_binding
  x = 1
  eval('x + park')
end

def by_catch
  catch(:done) { loop { park } }
end

def by_retry
  tries = 0
  begin
    tries += 1
    raise 'again' if tries < 3

    park
  rescue RuntimeError
    retry
  end
end

def by_class
  Class.new { define_method(:anonymous) { park }; def plain; anonymous; end }
       .new.plain
end

object = Object.new
def object.single
  park
end

SHAPES = [
  -> { park }, -> { rec(150) }, -> { Thing.of_class(1) },
  -> { Thing.of_singleton }, -> { Thing.of_alias }, -> { Thing.new(:new) },
  -> { [Thing.new(1), Thing.new(2)].sort }, -> { "#{Thing.new(1)}" },
  -> { Thing.new(1).map { |x| x } }, -> { Thing.new(1).unknown(1) },
  -> { Thing.new(1).defined(2) }, -> { Thing.new(1).with_rescue },
  -> { Thing.new(1).with_ensure }, -> { Thing.new(1).with_match },
  -> { Thing.new(1).größe }, -> { Thing::Inner.new.call },
  -> { [1].each(&Thing::Inner.new) }, -> { Derived.new(1).nested },
  -> { Helper.help }, -> { Helper.mixed }, -> { 5.parked }, -> { by_fiber },
  -> { by_enumerator }, -> { by_string }, -> { by_binding }, -> { by_catch },
  -> { by_retry }, -> { by_class }, -> { object.single },
  -> { [3, 1, 2].sort_by { |x| park(x) } },
  -> { [1, 2].inject { |a, b| park(a + b) } },
  -> { Hash.new { |h, k| park(k) }[:key] },
  -> { Mutex.new.synchronize { park } },
  -> { Monitor.new.synchronize { park } },
  -> { 1.then { |x| x.tap { park } } }, -> { Thing.new(1).send(:park) },
  -> { Thing.instance_method(:nested).bind(Thing.new(1)).call },
  -> { Thing.new(1).each_slice(1) { park } }, -> { [1].lazy.map { park }.first },
  -> { Thing.class_eval { park } },
  -> { Thing.class_eval('park', 'evaled.rb', 7) },
  -> { proc { |x| park(x) }.call(1) }, -> { proc { park }.curry.() },
  -> { method(:park).unbind.bind_call(self) }, -> { %w[a].each_with_index { park } },
  -> { 1.upto(2) { park } }, -> { ObjectSpace.each_object(Module) { park } },
  -> { sleep }, -> { Queue.new.pop }, -> { Thread.stop }
].freeze

threads = SHAPES.map { |shape| Thread.new(&shape) }
threads.each { |t| Thread.pass until t.status == 'sleep' }
sleep 0.2
File.open("#{ARGV[0]}.new", 'w') do |f|
  threads.each do |t|
    f.puts(t.backtrace.reverse.map do |line|
      place, label = line.match(/\A(.*):in [`'](.*)'\z/).captures
      "#{label} (#{place})"
    end.join(';'))
  end
end
File.rename("#{ARGV[0]}.new", ARGV[0])
puts 'ready'
$stdout.flush
sleep
