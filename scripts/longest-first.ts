// Starts the longest test first: when it was the last to start, all others were done long before it, and a core was idle.
//
// vitest knows how long each file took only where it ran before, which no fresh clone did; then it goes by the files' sizes. That
// mixes tests with many processes among those with none, which is well: they would take each other's time.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = 'e2e/network/network.test.ts'

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith(`/${longest}`)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}
