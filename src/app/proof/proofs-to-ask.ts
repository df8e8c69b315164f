// Proofs of the captures of a home on which no peer runs, for one command.

import { join } from 'node:path'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Log } from '../../platform/log.ts'
import { Spool } from '../../store/spool.ts'
import type { Store } from '../../store/store.ts'
import { realPlatform } from '../real-platform.ts'
import { HomeProof } from './home-proof.ts'
import { ProofService } from './proof-service.ts'

export async function withProofs<T>(
  { store, home, log }: { store: Store; home: string; log: Log },
  work: (proofs: ProofService) => Promise<T>,
): Promise<T> {
  const platform = realPlatform()
  const proof = await HomeProof.open({ platform, store, log }, home)
  try {
    const spool = new Spool(platform, join(home, 'proof', 'spool'))
    return await work(new ProofService({ archive: storeArchive(store), proof, spool }))
  } finally {
    await proof.close()
  }
}
