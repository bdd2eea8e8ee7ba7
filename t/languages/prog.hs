-- prog.hs - work of three kinds.
module Main (main) where

import qualified Data.Map as M

fib :: Int -> Integer
fib n = if n < 2 then toInteger n else fib (n - 1) + fib (n - 2)

table :: Int -> M.Map Int Integer
table n = {-# SCC "fill" #-} M.fromList [(i, fib (i `mod` 20)) | i <- [1 .. n]]

(<+>) :: Integer -> Integer -> Integer
a <+> b = a + b * fib 15

main :: IO ()
main = do
  print (fib 27)
  print (foldr (<+>) 0 (M.elems (table 3000)) `mod` 1000)
