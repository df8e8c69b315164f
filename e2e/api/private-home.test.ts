// What other users of the machine can see of a peer: not its home, and not its invitation.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { killed, watched } from '../../src/platform/fixtures/child-processes.ts'
import { polyhistor, root, temporaryFolder } from '../command.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('a home', () => {
  test('is made for its owner alone, and made so again', async () => {
    const home = join(await temporaryFolder(), 'new', 'home')
    const run = () => polyhistor(['store', 'stat', '--home', home])
    assert.equal((await run()).code, 0)
    assert.equal(await modeOf(home), 0o700)
    await chmod(home, 0o755)
    assert.match((await run()).errors, /could be read by others/)
    assert.equal(await modeOf(home), 0o700)
    assert.equal((await run()).errors, '')
  })

  test('that is another folder too is not closed to others, but they are told of', async () => {
    const home = await temporaryFolder()
    await mkdir(join(home, 'pictures'))
    await chmod(home, 0o755)
    const { code, errors } = await polyhistor(['store', 'stat', '--home', home])
    assert.equal(code, 0)
    assert.match(errors, /Others can look into/)
    assert.equal(await modeOf(home), 0o755)
  })
})

describe('an invitation', () => {
  async function invited() {
    const folder = await temporaryFolder()
    const created = await polyhistor(['network', 'create', 'n', '-q', '--home', join(folder, 'a')])
    assert.equal(created.code, 0, created.errors)
    return { folder, invitation: created.output.trim() }
  }

  function start(folder: string, invite: string, input = '') {
    const words = [
      'peer',
      '--home',
      join(folder, 'b'),
      '--http',
      'localhost:0',
      '--listen',
      '127.0.0.1:0',
      '--json',
      '-q',
    ]
    const child = watched(spawn(join(root, 'bin', 'polyhistor'), [...words, '--invite', invite]), folder)
    onTestFinished(() => killed(child))
    child.stdin.end(input)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => (errors += text))
    const isUp = new Promise((resolve, reject) => {
      child.stdout.once('data', resolve)
      child.once('close', (code) => reject(new Error(`ended with ${code}: ${errors}`)))
    })
    return { child, isUp }
  }

  test.runIf(process.platform === 'linux')(
    'given plainly is not in the process list of a running peer',
    async () => {
      const { folder, invitation } = await invited()
      const { child, isUp } = start(folder, invitation)
      await isUp
      const shown = await readFile(`/proc/${child.pid}/cmdline`, 'utf8')
      assert.match(shown, /^polyhistor peer .*--invite …/)
      assert.ok(!shown.includes(invitation.slice(0, 40)), shown)
    },
  )

  test('is read from a file or from the input', async () => {
    const { folder, invitation } = await invited()
    const file = join(folder, 'invitation.txt')
    await writeFile(file, `${invitation}\n`)
    const byFile = start(folder, `@${file}`)
    await byFile.isUp
    await killed(byFile.child)
    const other = join(folder, 'c')
    await mkdir(other)
    await start(other, '-', `${invitation}\n`).isUp
    const network = async (home: string) => JSON.parse(await readFile(join(home, 'network.json'), 'utf8')).id
    assert.equal(await network(join(folder, 'b')), await network(join(other, 'b')))
    const missing = await polyhistor(['peer', '--invite', '@/nowhere', '--home', join(folder, 'd')])
    assert.equal(missing.code, 66)
    assert.match(missing.errors, /\/nowhere cannot be read: there is no such file/)
  })
})
