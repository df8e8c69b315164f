import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { fetchedIntegrity, fetchedPackage, fetchedVersion } from './fetched-package.ts'

test('the browser that is fetched is the one that the tests run with', async () => {
  const lock = JSON.parse(await readFile(join(import.meta.dirname, '../../../../package-lock.json'), 'utf8'))
  const { version, integrity } = lock.packages['node_modules/@sparticuz/chromium']
  assert.deepEqual([version, integrity], [fetchedVersion, fetchedIntegrity])
})

test('what npm did not finish, or is another version, does not count', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  assert.equal(await fetchedPackage(folder), undefined)
  const list = join(folder, 'node_modules', '.package-lock.json')
  await mkdir(join(folder, 'node_modules'))
  const written = (integrity: string) =>
    writeFile(list, JSON.stringify({ packages: { 'node_modules/@sparticuz/chromium': { integrity } } }))
  await written('sha512-other')
  assert.equal(await fetchedPackage(folder), undefined)
  await written(fetchedIntegrity)
  assert.equal(await fetchedPackage(folder), join(folder, 'node_modules', '@sparticuz/chromium'))
})
