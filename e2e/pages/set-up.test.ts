// A clone builds the browser's side when that is missing or old, and says nothing when it is not.

import assert from 'node:assert/strict'
import { appendFile, cp, mkdir, readFile, rm, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { root, runCommand, temporaryFolder } from '../command.ts'

test('the pages are built once, and again when their sources change or a build was cut off', async () => {
  const clone = await temporaryFolder()
  for (const folder of ['src', 'bench', 'scripts']) await mkdir(join(clone, folder))
  for (const path of [
    'bin',
    'web',
    'docs',
    'bench/results',
    'scripts/docs',
    'README.md',
    'src/ui',
    'src/model',
    'src/errors.ts',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ]) {
    await cp(join(root, path), join(clone, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
  const manifest = join(clone, 'dist/web/manifest.json')
  const setUp = async (): Promise<number> => {
    const { code, output, errors } = await runCommand('sh', [join(clone, 'bin/set-up')])
    assert.deepEqual([code, output, errors], [0, '', ''])
    return (await stat(manifest)).mtimeMs
  }
  const built = await setUp()
  const entries = Object.keys(JSON.parse(await readFile(manifest, 'utf8')))
  for (const entry of ['archive.css', 'frame.ts', 'icon.svg']) assert(entries.includes(entry), entry)
  assert.equal(await setUp(), built)

  // As a checkout leaves it.
  await utimes(join(clone, 'web/calendar.ts'), new Date(), new Date())
  assert.equal(await setUp(), built)

  await appendFile(join(clone, 'web/calendar.ts'), '// Another word.\n')
  const again = await setUp()
  assert(again > built)

  await rm(join(clone, 'dist/web/.built-from'))
  await rm(join(clone, 'dist/web/assets'), { recursive: true })
  assert((await setUp()) > again)
  assert.equal(await setUp(), await setUp())

  const page = join(clone, 'dist/docs/search.html')
  assert.match(await readFile(page, 'utf8'), /<h1 id="search">Search<\/h1>/)
  await appendFile(join(clone, 'docs/search.md'), '\nA sentence more.\n')
  await setUp()
  assert.match(await readFile(page, 'utf8'), /A sentence more\./)
})
