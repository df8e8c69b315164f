// A file or standard input as a whole, bounded.

import { createReadStream } from 'node:fs'
import { UsageError } from '../usage-error.ts'
import { InputFileError } from './input-file-error.ts'

/** `-` is standard input. */
export async function readInputBytes(file: string, bytesMax: number): Promise<Buffer> {
  const stream = file === '-' ? process.stdin : createReadStream(file)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > bytesMax) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new InputFileError(file, error as Error)
  }
  if (length > bytesMax) throw new UsageError(`${file} has more than ${bytesMax} bytes.`)
  return Buffer.concat(chunks)
}

export async function readInputText(file: string, bytesMax: number): Promise<string> {
  return (await readInputBytes(file, bytesMax)).toString('utf8')
}
