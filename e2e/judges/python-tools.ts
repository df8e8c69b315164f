// The judges that are written in Python, run from their sources: POLYHISTOR_JUDGES names the folder that holds the checkouts
// (CONTRIBUTING.md says which). POLYHISTOR_PYTHON names the interpreter that has the packages they need; python3 unless told.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { watched } from '../../src/platform/fixtures/child-processes.ts'
import { MissingJudge } from './verdict.ts'

export interface PythonPlaces {
  readonly folder: string | undefined
  readonly interpreter: string
}

/** Removed there: our own program refuses variables of this name that are no settings. */
export function placesFromEnvironment(): PythonPlaces {
  const { POLYHISTOR_JUDGES: folder, POLYHISTOR_PYTHON: interpreter = 'python3' } = process.env
  delete process.env.POLYHISTOR_JUDGES
  delete process.env.POLYHISTOR_PYTHON
  return { folder, interpreter }
}

export interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

const outputBytesMax = 50_000_000
const runMsMax = 120_000
/** Tools that ask for the version of their own package, which sources that are not installed do not have. */
const versioned = ['warcio', 'pywb']

export class PythonTools {
  readonly #interpreter: string
  readonly #path: string

  private constructor(interpreter: string, path: string) {
    this.#interpreter = interpreter
    this.#path = path
  }

  /** `folder`: of this run, for what the sources lack. */
  static async find({ folder: place, interpreter }: PythonPlaces, folder: string): Promise<PythonTools> {
    if (place === undefined) throw new MissingJudge('POLYHISTOR_JUDGES names no folder: see CONTRIBUTING.md')
    const names = await readdir(place).catch((error) => {
      throw new MissingJudge(`POLYHISTOR_JUDGES: ${error.message}`)
    })
    const metadata = join(folder, 'versions')
    for (const name of versioned) {
      if (!names.includes(name)) throw new MissingJudge(`${name} is not in the folder of POLYHISTOR_JUDGES`)
      await mkdir(join(metadata, `${name}.egg-info`), { recursive: true })
      await writeFile(
        join(metadata, `${name}.egg-info`, 'PKG-INFO'),
        `Metadata-Version: 1.0\nName: ${name}\nVersion: 0\n`,
      )
    }
    return new PythonTools(interpreter, [...names.map((name) => join(place, name)), metadata].join(delimiter))
  }

  /** Rejects where the tool cannot even be loaded. */
  async require(judge: string, module: string): Promise<void> {
    const { code, errors } = await this.run(['-c', `import ${module}`])
    if (code === 0) return
    throw new MissingJudge(`${judge} does not load: ${errors.trim().split('\n').at(-1)}`)
  }

  async run(words: readonly string[], folder?: string): Promise<Ended> {
    const running = promisify(execFile)(this.#interpreter, words, {
      cwd: folder,
      env: this.#environment(),
      maxBuffer: outputBytesMax,
      timeout: runMsMax,
    })
    watched(running.child)
    try {
      const { stdout, stderr } = await running
      return { code: 0, output: stdout, errors: stderr }
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
      if (typeof code !== 'number')
        throw new MissingJudge(`${this.#interpreter}: ${(error as Error).message}`)
      return { code, output: stdout, errors: stderr }
    }
  }

  /** Goes on until it is killed. */
  start(words: readonly string[], folder: string): ChildProcess {
    return watched(
      spawn(this.#interpreter, words, {
        cwd: folder,
        env: this.#environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, PYTHONPATH: this.#path, PYTHONDONTWRITEBYTECODE: '1' }
  }
}
