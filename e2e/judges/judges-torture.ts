// `npm run torture -- judges`: tools that others wrote read what we export. An archive with every kind of answer is exported as
// WARC and as WACZ; warcio, pywb and ReplayWeb.page must find in them, byte by byte, what our own peer replays.
//
// A judge that is not here fails the run, as one does that finds a fault.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../../src/platform/fixtures/child-processes.ts'
import { JudgedArchive } from './judged-archive.ts'
import { type PythonPlaces, PythonTools, placesFromEnvironment } from './python-tools.ts'
import { judgeWithPywb } from './pywb-judge.ts'
import { judgeWithReplayWebPage } from './replaywebpage-judge.ts'
import { MissingJudge, type Verdict } from './verdict.ts'
import { judgeWithWarcio } from './warcio-judge.ts'

type Judge = (archive: JudgedArchive, folder: string) => Promise<Verdict[]>

function judgesWith(places: PythonPlaces): Readonly<Record<string, Judge>> {
  return {
    warcio: async (archive, folder) => judgeWithWarcio(await PythonTools.find(places, folder), archive),
    pywb: async (archive, folder) => judgeWithPywb(await PythonTools.find(places, folder), archive, folder),
    'ReplayWeb.page': judgeWithReplayWebPage,
  }
}

/** The exit code. `tell` gets the lines of the report. */
export async function judgeExports(tell: (line: string) => void): Promise<number> {
  const judges = judgesWith(placesFromEnvironment())
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-judges-'))
  try {
    const archive = await JudgedArchive.make(folder)
    tell(`${archive.judged.length} captures, exported as WARC and as WACZ`)
    let failures = 0
    for (const [name, judge] of Object.entries(judges))
      failures += await heard(name, judge, archive, folder, tell)
    tell(failures === 0 ? 'All judges agree, but for what is in brackets.' : `${failures} failures.`)
    return failures === 0 ? 0 : 1
  } finally {
    await removeFolder(folder)
  }
}

/** How much one judge found wrong. */
async function heard(
  name: string,
  judge: Judge,
  archive: JudgedArchive,
  folder: string,
  tell: (line: string) => void,
): Promise<number> {
  try {
    const verdicts = await judge(archive, folder)
    for (const [kind, own] of Map.groupBy(verdicts, (verdict) => verdict.kind)) {
      const faults = own.filter(({ fault }) => fault !== undefined)
      tell(`${name}: ${kind}: ${own.length - faults.length} of ${own.length}`)
      for (const { fault } of faults) tell(`    ${fault}`)
      for (const { peculiarity } of own) if (peculiarity !== undefined) tell(`    (${peculiarity})`)
    }
    return verdicts.filter(({ fault }) => fault !== undefined).length
  } catch (error) {
    const what = error instanceof MissingJudge ? 'MISSING' : 'FAILED'
    tell(`${name}: ${what}: ${(error as Error).message}`)
    return 1
  }
}
