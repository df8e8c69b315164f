// How a volunteer's process tells the one that started it that it is to be updated: by a file in its folder, and by how it ends.

export const updateExitCode = 83
export const releaseName = 'release.json'
