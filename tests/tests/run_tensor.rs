//! Tensors: written, worked on by the cores, read back.

use std::time::Duration;

use half::bf16;
use km::build::Sources;
use komorebi as km;
use komorebi_sim::Card;
use ndarray::{Array, Array2, Array3};

const TIMEOUT: Duration = Duration::from_secs(5);

const READER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Copy) {
    const TensorAccessor from(TensorAccessorArgs<0>(), args.from);
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, from, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
";

const WRITER: &str = r"
#include <komorebi/kernel.h>
KM_HANDLER(Copy) {
    const TensorAccessor to(TensorAccessorArgs<0>(), args.to);
    for (uint32_t page = command.index; page < args.pages; page += command.count) {
        cb_wait_front(0, 1);
        noc_async_write_page(page, to, get_read_ptr(0));
        noc_async_writes_flushed();
        cb_pop_front(0, 1);
    }
}
";

fn session() -> km::Session {
    km::Session::builder().on(&Card::builder().build()).open().unwrap()
}

#[test]
fn a_tensor_is_copied_page_by_page_by_the_cores_and_read_while_the_run_is_loaded() {
    let session = session();
    let data = Array2::from_shape_fn((100, 32), |(row, column)| (row * 1000 + column) as u32);
    let from = session.tensor(&data, km::DType::Uint32).unwrap();
    let to = session.tensor(&Array2::<u32>::zeros((100, 32)), km::DType::Uint32).unwrap();
    assert_eq!((from.page_bytes(), from.aligned_page_bytes(), from.pages()), (128, 128, 100));
    let address = km::ArgKind::Address;
    let program = km::Program::new("copy")
        .with_sources(
            Sources::new().file("reader.cpp", READER.as_bytes()).file("writer.cpp", WRITER.as_bytes()),
        )
        .handler_with("copy", 1, &[("from", address), ("to", address), ("pages", km::ArgKind::U32)], None)
        .buffer(0, km::Format::Uint32, 128, 4)
        .compile_args(km::Kernel::Reader, &from.accessor_args())
        .compile_args(km::Kernel::Writer, &to.accessor_args())
        .grid(4, 2);
    let run = session.load(program).unwrap();
    let copy = km::call("copy", &[from.address().0, to.address().0, 100]);
    run.wait(run.submit(copy).unwrap(), TIMEOUT).unwrap();
    assert_eq!(to.read::<u32>().unwrap(), data.clone().into_dyn());
    let page = session.read(&to, 57, 1).unwrap();
    assert_eq!(page[..4], 57_000_u32.to_le_bytes());
    let chunks: Vec<_> = session.read_chunks(&to, 1400).collect::<km::Result<_>>().unwrap();
    assert_eq!(
        chunks.iter().map(|(first, _)| *first).collect::<Vec<_>>(),
        (0..100).step_by(10).collect::<Vec<_>>()
    );
    assert_eq!(
        chunks.into_iter().flat_map(|(_, bytes)| bytes).collect::<Vec<_>>(),
        from.read_bytes().unwrap()
    );
    run.stop(TIMEOUT).unwrap();
}

#[test]
fn every_type_survives_the_way_to_the_card_and_back() {
    let session = session();
    let shape = (3, 5, 7);
    macro_rules! round_trip {
        ($($type:ty: $make:expr;)*) => {$(
            let data: Array3<$type> = Array::from_shape_fn(shape, |(a, b, c)| $make(a * 35 + b * 7 + c));
            let tensor = session.tensor(&data, <$type as km::Element>::DTYPE).unwrap();
            assert_eq!(tensor.read::<$type>().unwrap(), data.into_dyn());
        )*};
    }
    round_trip! {
        f32: |i| i as f32 / 3.0;
        bf16: |i| bf16::from_f32(i as f32);
        u32: |i| i as u32 * 0x0101_0101;
        i32: |i| 50 - i as i32;
        u16: |i| i as u16 * 300;
        u8: |i| i as u8;
    }
    let halves = session.tensor(&Array2::from_elem((2, 3), 1.003_f32), km::DType::Bfloat16).unwrap();
    assert_eq!(halves.read::<f32>().unwrap(), Array2::from_elem((2, 3), 1.0).into_dyn());
}

#[test]
fn what_does_not_fit_a_tensor_is_refused_with_both_sides_named() {
    let session = session();
    let tensor = session.empty(&[2, 3], km::DType::Float32).unwrap();
    let error = tensor.write(&Array2::<f32>::zeros((3, 2))).unwrap_err();
    assert_eq!(error.to_string(), "the tensor has shape [2, 3], not [3, 2]");
    let error = tensor.write(&Array2::<u32>::zeros((2, 3))).unwrap_err();
    assert_eq!(error.to_string(), "the tensor holds float32, not u32; use f32");
    let error = session.read(&tensor, 1, 2).unwrap_err();
    assert_eq!(error.to_string(), "pages 1..3 lie outside the tensor, which has 2 pages");
    assert!(session.empty(&[4, 0], km::DType::Uint8).is_err());
    tensor.free();
    assert_eq!(tensor.read::<f32>().unwrap_err().to_string(), "the tensor was freed");
}

#[test]
fn memory_comes_back_with_the_last_clone() {
    let session = session();
    let first = session.empty(&[8, 64], km::DType::Uint8).unwrap();
    let address = first.address();
    let clone = first.clone();
    drop(first);
    assert_ne!(session.empty(&[8, 64], km::DType::Uint8).unwrap().address(), address);
    drop(clone);
    assert_eq!(session.empty(&[8, 64], km::DType::Uint8).unwrap().address(), address);
    let error = session.empty(&[1 << 30, 64], km::DType::Uint8).unwrap_err();
    assert!(matches!(error, km::Error::Tensor(_)), "{error}");
}

/// A call with a tensor as its argument, as the macro's functions make it.
fn call_with(tensors: &[&km::Tensor]) -> km::Call<km::Dynamic, ()> {
    use km::macro_support::{Words, call};
    call(1, tensors.iter().fold(Words::new(), |words, tensor| words.push(*tensor)))
}

#[test]
fn a_tensor_of_another_session_or_one_that_was_freed_is_no_argument() {
    let (session, other) = (session(), session());
    let of = |session: &km::Session| session.empty(&[2, 16], km::DType::Uint32).unwrap();
    let (own, foreign, freed) = (of(&session), of(&other), of(&session));
    assert_eq!(own.address(), foreign.address(), "the address alone would not tell");
    freed.free();
    let run = session.load(km::Program::new("tensors").handler("take", 1).grid(1, 1)).unwrap();
    for (tensors, expected) in [
        (vec![&foreign], km::error::TensorError::Session),
        (vec![&own, &foreign], km::error::TensorError::Session),
        (vec![&foreign, &own], km::error::TensorError::Session),
        (vec![&own, &freed], km::error::TensorError::Freed),
    ] {
        let error = run.submit(call_with(&tensors)).unwrap_err();
        let km::Error::Tensor(found) = &error else { panic!("{error}") };
        assert_eq!(*found, expected);
    }
    assert_eq!(run.submit(call_with(&[&own, &own])).unwrap().number(), 1, "nothing was queued before it");
    run.stop(TIMEOUT).unwrap();
}
