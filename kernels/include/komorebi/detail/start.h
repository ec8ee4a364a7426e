// The first instructions of every thread, from its reset pc to km_main.
#pragma once

// cfg0 (tensix.md §2, "CSRs"): bit 3 switches the L0 data cache off, which sees nobody else's writes; bit 18 switches the
// fusion of .ttinsn off (an erratum), with the branch predictor (bit 1) off meanwhile. No load or store stands before them.
// Then the stack at the top of local RAM, the image of .data copied from L1, .bss zeroed: the hardware clears local RAM
// on reset, but can be told not to (DISABLE_RESET).
asm(R"(
    .section .text.start, "ax", @progbits
    .globl _start
_start:
    li      t0, 1 << 1
    csrs    0x7c0, t0
    fence
    li      t1, (1 << 3) | (1 << 18)
    csrs    0x7c0, t1
    fence
    csrc    0x7c0, t0
    fence
    lui     sp, %hi(__stack_top)
    addi    sp, sp, %lo(__stack_top)
    lui     a0, %hi(__data_start)
    addi    a0, a0, %lo(__data_start)
    lui     a1, %hi(__data_end)
    addi    a1, a1, %lo(__data_end)
    lui     a2, %hi(__data_image)
    addi    a2, a2, %lo(__data_image)
    bgeu    a0, a1, 2f
1:  lw      a3, 0(a2)
    sw      a3, 0(a0)
    addi    a0, a0, 4
    addi    a2, a2, 4
    bltu    a0, a1, 1b
2:  lui     a1, %hi(__bss_end)
    addi    a1, a1, %lo(__bss_end)
    bgeu    a0, a1, 4f
3:  sw      zero, 0(a0)
    addi    a0, a0, 4
    bltu    a0, a1, 3b
4:  j       km_main
    .previous
)");
