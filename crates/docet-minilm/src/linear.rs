//! `outputs += inputs · weights + bias`: the one place that calls the matrix library.
//!
//! Weights are packed once, into panels of 64 output columns and blocks of 384 input columns. Both sizes are fixed, so
//! each output number is the same chain of multiply-adds whatever the number of rows: this is what gives a text the
//! same bits alone and in any batch.

/// The arithmetic that every product runs on.
pub const KERNEL: &str = "f32";

/// Output columns of a panel: a multiple of the rows of every kernel in the library.
const PANEL: usize = 64;
/// Input columns of a block: few enough that the library never splits the sum by itself.
const BLOCK: usize = 384;

/// A dense layer with its weights packed for the kernel.
pub(crate) struct Linear {
    /// By block, then by panel, then by input column.
    rows: Vec<PanelRow>,
    bias: Vec<f32>,
    inputs: usize,
}

/// The weights from one input column to the [`PANEL`] output columns of a panel. Aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct PanelRow([f32; PANEL]);

impl Linear {
    /// Packs `weights`, one row of `inputs` numbers an output column, and `bias`, one number an output column.
    ///
    /// # Panics
    /// Where the output columns are no multiple of 64 or the input columns none of 384.
    pub(crate) fn pack(weights: &[f32], bias: Vec<f32>, inputs: usize) -> Self {
        assert!(
            bias.len().is_multiple_of(PANEL) && inputs.is_multiple_of(BLOCK) && weights.len() == inputs * bias.len()
        );
        let mut rows = vec![PanelRow([0.0; PANEL]); weights.len() / PANEL];
        let panels = bias.len() / PANEL;
        for (index, packed) in rows.chunks_exact_mut(BLOCK).enumerate() {
            let (block, panel) = (index / panels, index % panels);
            pack_panel(packed, &weights[panel * PANEL * inputs + block * BLOCK..], inputs);
        }
        Self { rows, bias, inputs }
    }

    /// Sets each row of `outputs` to the bias plus the product of the same row of `inputs` with the weights.
    pub(crate) fn apply(&self, inputs: &[f32], outputs: &mut [f32]) {
        for row in outputs.chunks_exact_mut(self.bias.len()) {
            row.copy_from_slice(&self.bias);
        }
        self.add_product(inputs, outputs);
    }

    /// Adds to each row of `outputs` the bias and the product of the same row of `inputs` with the weights.
    pub(crate) fn add(&self, inputs: &[f32], outputs: &mut [f32]) {
        for row in outputs.chunks_exact_mut(self.bias.len()) {
            for (output, bias) in row.iter_mut().zip(&self.bias) {
                *output += bias;
            }
        }
        self.add_product(inputs, outputs);
    }

    fn add_product(&self, inputs: &[f32], outputs: &mut [f32]) {
        let panels = self.bias.len() / PANEL;
        assert_eq!(inputs.len() / self.inputs, outputs.len() / self.bias.len());
        for (index, packed) in self.rows.chunks_exact(BLOCK).enumerate() {
            let (block, panel) = (index / panels, index % panels);
            let output = Matrix { values: &mut outputs[panel * PANEL..], stride: self.bias.len() };
            add_panel(packed, Matrix { values: &inputs[block * BLOCK..], stride: self.inputs }, output);
        }
    }
}

/// Rows whose starts lie `stride` numbers apart; the last one may be shorter than the stride.
struct Matrix<Values> {
    values: Values,
    stride: usize,
}

/// Transposes the first [`BLOCK`] columns of [`PANEL`] rows of `weights`, which are `stride` numbers apart.
fn pack_panel(packed: &mut [PanelRow], weights: &[f32], stride: usize) {
    for output in 0..PANEL {
        for (row, weight) in packed.iter_mut().zip(&weights[output * stride..]) {
            row.0[output] = *weight;
        }
    }
}

/// Adds the product of [`BLOCK`] input columns and one panel to [`PANEL`] output columns, in all rows.
#[expect(unsafe_code, reason = "the matrix library takes pointers and strides")]
fn add_panel(packed: &[PanelRow], inputs: Matrix<&[f32]>, outputs: Matrix<&mut [f32]>) {
    let rows = outputs.values.len().div_ceil(outputs.stride);
    assert_eq!(packed.len(), BLOCK);
    assert!(rows > 0 && inputs.values.len() >= (rows - 1) * inputs.stride + BLOCK);
    assert!(outputs.values.len() >= (rows - 1) * outputs.stride + PANEL);
    // SAFETY: the library reads BLOCK numbers at each of `rows` starts in `inputs` and all of `packed`, and writes
    // PANEL numbers at each of `rows` starts in `outputs`; the assertions above keep all of these inside their slices,
    // and the exclusive borrow of `outputs` keeps it apart from the other two.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            PANEL,
            rows,
            BLOCK,
            outputs.values.as_mut_ptr(),
            outputs.stride as isize,
            1,
            true,
            packed.as_ptr().cast(),
            PANEL as isize,
            1,
            inputs.values.as_ptr(),
            inputs.stride as isize,
            1,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}
