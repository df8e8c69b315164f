import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, test } from 'vitest'
import { firstLine, watched } from '../fixtures/child-processes.ts'
import { withTemporaryFolder } from '../fixtures/temporary-folder.ts'
import { RealHomeLock } from '../real/disk/home-lock.ts'

const script = join(import.meta.dirname, '..', 'fixtures', 'hold-home.ts')

/** Starts a process that holds the home; gives it and the first line that it prints. */
async function holdElsewhere(
  home: string,
  ...words: string[]
): Promise<{ child: ChildProcess; line: string; errors: () => string }> {
  const child = watched(
    spawn(process.execPath, [script, home, ...words], { stdio: ['pipe', 'pipe', 'pipe'] }),
  )
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const line = await firstLine(child)
  return { child, line, errors: () => errors }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

async function end(child: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  if (signal === undefined) child.stdin!.write('end\n')
  else child.kill(signal)
  await ended
}

describe('the lock of a home', () => {
  test('refuses a second process and names the first', async () => {
    await withTemporaryFolder(async (folder) => {
      const home = join(folder, 'home')
      const first = await holdElsewhere(home)
      assert.equal(first.line, 'held')
      const second = await holdElsewhere(home)
      const { code, message } = JSON.parse(second.line) as { code: string; message: string }
      assert.equal(code, 'home-in-use')
      assert.ok(message.startsWith(`${home} is in use by process ${first.child.pid} (hold-home.ts `), message)
      assert.match(message, /since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/)
      await assert.rejects(new RealHomeLock().hold(home), { code: 'home-in-use', retry: 'later' })
      await end(first.child, 'SIGKILL')
      assert.equal(first.errors(), '')
    })
  })

  test('does not tell the invitation that its holder was started with', async () => {
    await withTemporaryFolder(async (folder) => {
      const secret = `polyhistor-invitation-1.${'s3cret'.repeat(80)}`
      const { child } = await holdElsewhere(folder, '--invite', secret, '--listen', '7073')
      await assert.rejects(new RealHomeLock().hold(folder), ({ message }: Error) => {
        assert.ok(!message.includes('s3cret'), message)
        assert.ok(message.includes('--listen 7073'), message)
        return true
      })
      assert.ok(!(await readFile(join(folder, 'holder.json'), 'utf8')).includes('s3cret'))
      await end(child, 'SIGKILL')
    })
  })

  test('goes with its process, also by SIGKILL', async () => {
    await withTemporaryFolder(async (folder) => {
      for (const signal of ['SIGKILL', undefined, 'SIGTERM'] as const) {
        const { child, line } = await holdElsewhere(folder)
        assert.equal(line, 'held')
        await end(child, signal)
      }
      const home = await new RealHomeLock().hold(folder)
      await home.release()
    })
  })

  test('is held once within a process too, released for the next, and leaves no holder behind', async () => {
    await withTemporaryFolder(async (folder) => {
      const lock = new RealHomeLock()
      const home = await lock.hold(folder)
      await assert.rejects(lock.hold(folder), {
        code: 'home-in-use',
        message: new RegExp(`process ${process.pid} `),
      })
      await home.release()
      const next = await lock.hold(folder)
      await home.release()
      await assert.rejects(lock.hold(folder), { code: 'home-in-use' })
      await next.release()
      assert.deepEqual(await readdir(folder), ['lock'])
    })
  })

  test('is kept though nobody keeps what hold() gave', async () => {
    await withTemporaryFolder(async (folder) => {
      const lock = new RealHomeLock()
      await lock.hold(folder)
      for (let turn = 0; turn < 3; turn++) {
        await new Promise((done) => setImmediate(done))
        collectGarbage()
      }
      await assert.rejects(lock.hold(folder), { code: 'home-in-use' })
    })
  })

  test('says what is wrong with a home that cannot be locked', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'file')
      await writeFile(file, '')
      await assert.rejects(new RealHomeLock().hold(join(file, 'home')), { code: 'home-not-lockable' })
      await writeFile(join(folder, 'lock'), 'this is no lock file, and is left as it is')
      await assert.rejects(new RealHomeLock().hold(folder), { code: 'home-not-lockable' })
    })
  })

  test('names nobody when it is not known who holds it', async () => {
    await withTemporaryFolder(async (folder) => {
      const home = await new RealHomeLock().hold(folder)
      await writeFile(join(folder, 'holder.json'), '{"pid":')
      await assert.rejects(new RealHomeLock().hold(folder), { message: /in use by another process\./ })
      await home.release()
    })
  })
})
