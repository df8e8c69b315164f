// Where an invitation comes from: the command line, a file, or standard input.
//
// What stands on the command line can be read by all users of the machine until hidden-arguments.ts has run; and for good where
// another program, such as npm, was told it first. Files are safer.

import { createReadStream } from 'node:fs'
import { UsageError } from '../usage-error.ts'
import { InputFileError } from './input-file-error.ts'

const bytesMax = 1_000_000

/** `INVITATION`, `@FILE`, or `-`. */
export async function invitationFrom(written: string): Promise<string> {
  const source = written === '-' ? process.stdin : written.startsWith('@') ? written.slice(1) : undefined
  if (source === undefined) return written
  const text = (await read(source)).trim()
  if (text === '')
    throw new UsageError(`There is no invitation in ${written === '-' ? 'the input' : written.slice(1)}.`)
  return text
}

async function read(source: string | NodeJS.ReadStream): Promise<string> {
  const stream = typeof source === 'string' ? createReadStream(source) : source
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      length += (chunk as Buffer).length
      if (length > bytesMax) throw new UsageError('This is too long for an invitation.')
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    if (error instanceof UsageError || typeof source !== 'string') throw error
    throw new InputFileError(source, error)
  }
  return Buffer.concat(chunks).toString('utf8')
}
