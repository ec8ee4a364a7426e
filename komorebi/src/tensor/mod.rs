//! Tensors: a program's inputs and outputs in the card's DRAM.
//!
//! Row layout: a page a row (the last dimension), page `p` in bank `p % banks`, padded to 64 bytes. A tensor has one
//! address, the same in every bank.

mod alloc;
mod convert;
mod dtype;
mod element;
mod memory;
mod pages;
mod read;
mod registry;

use std::sync::{Arc, Mutex, PoisonError};

use ndarray::{ArrayD, ArrayRef, Dimension};

pub(crate) use alloc::Allocator;
pub use dtype::DType;
pub use element::Element;
pub(crate) use memory::Memory;
pub(crate) use pages::Pages;
pub use read::Chunks;
pub(crate) use registry::Registry;

use crate::error::TensorError;
use crate::session::Session;
use crate::{Address, Result};

/// A tensor in the card's DRAM. Clones share it; the last one frees it.
#[derive(Clone)]
pub struct Tensor(Arc<Inner>);

struct Inner {
    session: Session,
    shape: Vec<usize>,
    dtype: DType,
    pages: Pages,
    /// `None` once it is freed. Engines hold it as well.
    memory: Mutex<Option<Arc<Memory>>>,
}

impl Tensor {
    /// Room for a tensor, not written.
    pub(crate) fn empty(session: &Session, shape: &[usize], dtype: DType) -> Result<Self> {
        let Some((&row, outer)) = shape.split_last().filter(|_| shape.iter().all(|&n| n > 0)) else {
            return Err(TensorError::Empty { shape: shape.to_vec() }.into());
        };
        let too_large = || TensorError::TooLarge { shape: shape.to_vec(), dtype: dtype.name() };
        let count = outer.iter().try_fold(1_usize, |all, &n| all.checked_mul(n)).ok_or_else(too_large)?;
        let page_bytes = row.checked_mul(dtype.bytes()).ok_or_else(too_large)?;
        let pages = Pages::place(session, count, page_bytes).ok_or_else(too_large)??;
        let memory = Memory::new(session, pages.address(), pages.bank_bytes());
        session.tensors().add(pages.address(), &memory);
        let (session, shape, memory) = (session.clone(), shape.to_vec(), Mutex::new(Some(memory)));
        Ok(Self(Arc::new(Inner { session, shape, dtype, pages, memory })))
    }

    pub(crate) fn freed(&self) -> bool {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub(crate) fn session_number(&self) -> u32 {
        self.0.session.number()
    }

    fn pages_in_use(&self) -> Result<&Pages> {
        if self.freed() {
            return Err(TensorError::Freed.into());
        }
        Ok(&self.0.pages)
    }

    pub(crate) fn owned_by(&self, session: &Session) -> bool {
        self.0.session.same(session)
    }

    /// Its address, the same in every DRAM bank.
    pub fn address(&self) -> Address {
        Address(self.0.pages.address())
    }

    /// Its shape.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// The type of its elements on the card.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Bytes of a page: a row.
    pub fn page_bytes(&self) -> usize {
        self.0.pages.page_bytes()
    }

    /// Bytes from a page to the next one in its bank: a multiple of 64.
    pub fn aligned_page_bytes(&self) -> usize {
        self.0.pages.aligned()
    }

    /// Pages: the product of all dimensions but the last.
    pub fn pages(&self) -> usize {
        self.0.pages.count()
    }

    /// The compile-time argument words of an accessor over it, for
    /// [`Program::compile_args`](crate::Program::compile_args): bytes of a page, bytes from page to page in a bank.
    pub fn accessor_args(&self) -> Vec<u32> {
        vec![self.page_bytes() as u32, self.aligned_page_bytes() as u32]
    }

    /// Writes `data`, which has the tensor's shape, and returns when it has landed.
    ///
    /// `f32` data goes into a bfloat16 tensor rounded to nearest, ties to even; any other type must be the tensor's.
    ///
    /// # Errors
    /// [`TensorError`] for another shape or type; the card's errors.
    pub fn write<T: Element, D: Dimension>(&self, data: &ArrayRef<T, D>) -> Result<()> {
        if data.shape() != self.shape() {
            let (found, expected) = (data.shape().to_vec(), self.shape().to_vec());
            return Err(TensorError::Shape { found, expected }.into());
        }
        let bytes = convert::to_bytes(data.iter().copied(), self.dtype())?;
        self.write_bytes(&bytes)
    }

    /// Writes the pages one after the other, without their padding.
    ///
    /// # Errors
    /// [`TensorError::Bytes`] when `bytes` is not all of the pages; the card's errors.
    pub fn write_bytes(&self, bytes: &[u8]) -> Result<()> {
        self.pages_in_use()?.write(&self.0.session, bytes)
    }

    /// The whole tensor. A bfloat16 tensor reads as `half::bf16` or as `f32`.
    ///
    /// # Errors
    /// [`TensorError::Type`] when `T` cannot hold its elements; the card's errors.
    pub fn read<T: Element>(&self) -> Result<ArrayD<T>> {
        let values = convert::from_bytes(&self.read_bytes()?, self.dtype())?;
        let (expected, found) = (self.shape().to_vec(), vec![values.len()]);
        ArrayD::from_shape_vec(self.shape(), values)
            .map_err(|_| TensorError::Shape { found, expected }.into())
    }

    /// All pages one after the other, without their padding.
    ///
    /// # Errors
    /// [`TensorError::Freed`]; the card's errors.
    pub fn read_bytes(&self) -> Result<Vec<u8>> {
        self.read_pages(0, self.pages())
    }

    pub(crate) fn read_pages(&self, first: usize, count: usize) -> Result<Vec<u8>> {
        self.pages_in_use()?.read(&self.0.session, first, count)
    }

    /// Gives its memory back before the last clone goes. Later reads and writes fail, and it can be bound to no engine. Memory
    /// that an engine which runs or a kept graph is bound to is given back once that one has ended or is released.
    pub fn free(&self) {
        // Given back when the lock is no longer held.
        let memory = self.0.memory.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(memory);
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tensor({:?} {} at {:#x})", self.shape(), self.dtype().name(), self.address().0)
    }
}
