# grammar.rb - runs for ever; which method may call which is known, so that a
# stack that never was can be told.  w0 to w9 are each called by the one before,
# in different ways; rec is 51 deep under leaf.
class Walk
  attr_reader :x

  def initialize(x)
    @x = x
  end

  def w0
    w1(3)
  end

  def w1(n)
    (1..n).each { |x| w2(x) }
  end

  def w2(x)
    [x, x + 1].sort_by { |y| w3(y) }
  end

  def w3(x)
    Fiber.new { w4(x) }.resume
  end

  def w4(x)
    yield_twice { |y| w5(x + y) }
  end

  def yield_twice
    yield 1
    yield 2
  end

  def w5(x)
    Thing.new(x).w6
  end

  def self.w8(*args)
    rec(50)
    w9(args)
  end

  def self.w9(args)
    args[0] + 1
  end

  def self.rec(n)
    return rec(n - 1) if n > 0

    leaf
  end

  def self.leaf
    x = 0
    i = 0
    while i < 20
      x += i
      i += 1
    end
    x
  end
end

class Thing
  def initialize(x)
    @x = x
  end

  def method_missing(name, *args)
    raise 'x'
  rescue RuntimeError
    w7
  end

  define_method(:w7) { Walk.send(:w8, @x) }
end

main = -> { loop { Walk.new(1).w0 } }
2.times { Thread.new(&main) }
puts 'ready'
$stdout.flush
main.call
