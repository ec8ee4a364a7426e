//! What the builders of graphs and streams have alike: the words of the header, variables, groups.

/// The methods, inside the `impl` of a builder whose `model` has `name`, `deadline_us`, `req`, `variables` and `groups`.
macro_rules! builder_head {
    () => {
        /// Names it, for messages and pictures.
        #[must_use]
        pub fn named(mut self, name: &str) -> Self {
            self.model.name = Some(name.to_owned());
            self
        }

        /// Microseconds that a run may take, from its RUN.
        #[must_use]
        pub fn deadline_us(mut self, microseconds: u64) -> Self {
            self.model.deadline_us = Some(microseconds);
            self
        }

        /// What its events carry, 16 bits.
        #[must_use]
        pub fn req(mut self, req: u64) -> Self {
            self.model.req = req;
            self
        }

        /// Bindings: words that each start gives.
        pub fn bindings<const N: usize>(&mut self, names: [&str; N]) -> [$crate::engine::Var; N] {
            names.map(|name| self.binding(name, None))
        }

        /// A binding, with a type if its uses are to be checked.
        pub fn binding(&mut self, name: &str, ty: Option<$crate::program::ArgKind>) -> $crate::engine::Var {
            let kind = $crate::engine::VariableKind::Binding;
            $crate::engine::declare(&mut self.model.variables, kind, Some(name), ty)
        }

        /// A register.
        pub fn register(&mut self) -> $crate::engine::Var {
            let kind = $crate::engine::VariableKind::Register;
            $crate::engine::declare(&mut self.model.variables, kind, None, None)
        }

        /// A register with a name, and a type if its uses are to be checked.
        pub fn register_named(
            &mut self,
            name: &str,
            ty: Option<$crate::program::ArgKind>,
        ) -> $crate::engine::Var {
            let kind = $crate::engine::VariableKind::Register;
            $crate::engine::declare(&mut self.model.variables, kind, Some(name), ty)
        }

        /// A constant: it takes no register.
        pub fn constant(
            &mut self,
            name: &str,
            value: impl $crate::engine::ConstantValue,
        ) -> $crate::engine::Var {
            let (bits, ty) = value.constant();
            let kind = $crate::engine::VariableKind::Constant(bits);
            $crate::engine::declare(&mut self.model.variables, kind, Some(name), Some(ty))
        }

        /// A named group.
        pub fn group(
            &mut self,
            name: &str,
            group: impl Into<$crate::engine::Group>,
        ) -> $crate::engine::Group {
            let group = $crate::engine::NamedGroup { name: name.to_owned(), group: group.into() };
            self.model.groups.push(group);
            $crate::engine::Group::Named($crate::engine::Ref::Id(self.model.groups.len() as u32 - 1))
        }
    };
}

pub(crate) use builder_head;
