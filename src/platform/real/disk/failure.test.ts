import assert from 'node:assert/strict'
import { test } from 'vitest'
import { DiskError } from '../../storage/disk.ts'
import { asDiskError } from './failure.ts'

const codeTable = {
  ENOENT: ['disk-not-found', 'never'],
  EEXIST: ['disk-already-exists', 'never'],
  ENOSPC: ['disk-full', 'later'],
  EDQUOT: ['disk-full', 'later'],
  EROFS: ['disk-read-only', 'never'],
  EACCES: ['disk-not-permitted', 'never'],
  EPERM: ['disk-not-permitted', 'never'],
  EIO: ['disk-failure', 'later'],
  EMFILE: ['disk-failure', 'later'],
  ENOTEMPTY: ['disk-failure', 'later'],
} as const

for (const [errno, [code, retry]] of Object.entries(codeTable)) {
  test(`${errno} is ${code}`, () => {
    const cause = Object.assign(new Error(`${errno}: as the system puts it`), {
      code: errno,
      syscall: 'write',
    })
    const error = asDiskError('/some/file', 'write', cause)
    assert(error instanceof DiskError)
    assert.deepEqual([error.code, error.retry, error.path, error.cause], [code, retry, '/some/file', cause])
    assert.match(error.message, /^Cannot write \/some\/file: .*\.$/)
  })
}

test('an error that is not the system’s is passed on as it is', () => {
  for (const error of [new TypeError('bug'), new DiskError('disk-full', '/a', 'full')]) {
    assert.equal(asDiskError('/some/file', 'write', error), error)
  }
})
