/** For how long something deleted here can be restored. */
export const keepDays = 7;
