// Bytes as a Buffer, for what Buffer can do that Uint8Array cannot. The memory is shared, never copied.

export function bufferView(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
