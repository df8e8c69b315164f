import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../platform/fixtures/child-processes.ts'
import { AllowedPaths, permitPath } from './allowed-paths.ts'

const refused = { code: 'path-not-allowed' }

async function machine() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'polyhistor-paths-')))
  onTestFinished(() => removeFolder(root))
  const [home, files] = [join(root, 'files', 'home'), join(root, 'files')]
  await mkdir(home, { recursive: true })
  await mkdir(join(root, 'files-of-others'))
  for (const name of ['files/a.warc', 'files/home/token', 'files-of-others/b.warc', 'secret'])
    await writeFile(join(root, name), 'x')
  return { root, home, files }
}

describe('with the token alone', () => {
  test('nothing is allowed unless a setting names its folder', async () => {
    const { home, files } = await machine()
    const paths = await AllowedPaths.open(home, [])
    for (const path of [join(files, 'a.warc'), join(home, 'token'), '/etc/passwd', '/nowhere'])
      await assert.rejects(paths.check(path, undefined), refused)
  })

  test('what lies below a folder of the setting is allowed; its neighbours and the home are not', async () => {
    const { root, home, files } = await machine()
    const paths = await AllowedPaths.open(home, [files])
    assert.equal(await paths.check(join(files, 'a.warc'), undefined), join(files, 'a.warc'))
    assert.equal(await paths.check(join(files, 'not/there/yet'), undefined), join(files, 'not/there/yet'))
    for (const path of [`${root}/files-of-others/b.warc`, `${files}/../secret`, `${home}/token`, home, root])
      await assert.rejects(paths.check(path, undefined), refused, path)
  })

  test('links are followed first, wherever in the path they are', async () => {
    const { root, home, files } = await machine()
    await symlink(join(root, 'secret'), join(files, 'link'))
    await symlink(root, join(files, 'up'))
    await symlink(join(root, 'gone'), join(files, 'dangling'))
    await symlink(files, join(root, 'files-too'))
    const paths = await AllowedPaths.open(home, [join(root, 'files-too')])
    for (const path of ['link', 'up/secret', 'up/files/home/token'])
      await assert.rejects(paths.check(join(files, path), undefined), refused, path)
    // What is opened is the path without links.
    assert.equal(await paths.check(join(files, 'up/files/a.warc'), undefined), join(files, 'a.warc'))
  })
})

describe('a permit of the home', () => {
  test('is good for its path, once', async () => {
    const { root, home } = await machine()
    const paths = await AllowedPaths.open(home, [])
    const secret = join(root, 'secret')
    const permit = await permitPath(home, secret)
    assert.equal(await paths.check(secret, permit), secret)
    await assert.rejects(paths.check(secret, permit), refused)
    assert.deepEqual(await readdir(join(home, 'permits')), [])
    const other = await permitPath(home, join(root, 'files/a.warc'))
    await assert.rejects(paths.check(secret, other), refused)
  })

  test('cannot be made up, nor lie elsewhere, nor be left from another run', async () => {
    const { root, home } = await machine()
    let paths = await AllowedPaths.open(home, [])
    const secret = join(root, 'secret')
    await writeFile(join(root, 'permit'), secret)
    for (const permit of ['', 'x', '../permit', '../../../permit', join(root, 'permit')])
      await assert.rejects(paths.check(secret, permit), refused, permit)
    const old = await permitPath(home, secret)
    paths = await AllowedPaths.open(home, [])
    await assert.rejects(paths.check(secret, old), refused)
    assert.equal(await permitPath(join(root, 'no-home'), secret), undefined)
  })
})
