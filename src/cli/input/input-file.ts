// Opens a file that was named on the command line.

import { resolve } from 'node:path'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import { DiskError, type DiskFile } from '../../platform/storage/disk.ts'
import { InputFileError } from './input-file-error.ts'

export async function openInputFile(file: string): Promise<DiskFile> {
  try {
    return await new RealDisk().open(resolve(file), 'read')
  } catch (error) {
    if (!(error instanceof DiskError)) throw error
    throw new InputFileError(file, error)
  }
}
