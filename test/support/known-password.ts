/** A password and its hash by `hashPassword`. */
export const knownPassword = {
  password: 'correct horse battery',
  hash: 'scrypt$17$8$1$Jr70ZgAHTWSVEH2f9AcYVQ$CN-uGWqM6mqpQNGaoIfWgMZB8bEITKUzng54ZU7TxXQ',
};
