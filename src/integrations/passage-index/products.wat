(module
  (memory (export "memory") 1)
  (func (export "products") (param $query i32) (param $row i32) (param $end i32) (param $size i32) (param $out i32)
    (local $at i32) (local $sum v128) (local $bytes v128)
    (block $done
      (loop $rows
        (br_if $done (i32.ge_u (local.get $row) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $columns
          (local.set $bytes (v128.load (i32.add (local.get $row) (local.get $at))))
          (local.set $sum (i32x4.add (local.get $sum) (i32x4.add
            (i32x4.dot_i16x8_s
              (i16x8.extend_low_i8x16_s (local.get $bytes))
              (v128.load (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1)))))
            (i32x4.dot_i16x8_s
              (i16x8.extend_high_i8x16_s (local.get $bytes))
              (v128.load offset=16 (i32.add (local.get $query) (i32.shl (local.get $at) (i32.const 1))))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $columns (i32.lt_u (local.get $at) (local.get $size))))
        (i32.store (local.get $out) (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (local.get $size)))
        (br $rows)))))
