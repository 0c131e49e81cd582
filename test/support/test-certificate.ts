/**
 * A self-signed certificate for localhost, 127.0.0.1 and receiver.example, for receivers in tests. Its key is public, so
 * nothing outside the tests may ever trust it. Made with `openssl req -x509 -newkey ec -days 36500`.
 */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBrjCCAVSgAwIBAgIUB0MoK7Vq+eWWuhuAav5Hc+fdLeswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5NDk1M1oYDzIxMjYxMDI4
MDk0OTUzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATMZfNISq7KEJ86oE5eqw3A918grkS13Txb0TjRj+P3ZpvhWNVqsxm9
pDdMQhwW8qD3ONY8i6sKzN5YmD2XvIkho4GBMH8wHQYDVR0OBBYEFG4lvnB8lGBS
gWyVmspbcla8RsyYMB8GA1UdIwQYMBaAFG4lvnB8lGBSgWyVmspbcla8RsyYMA8G
A1UdEwEB/wQFMAMBAf8wLAYDVR0RBCUwI4IJbG9jYWxob3N0ghByZWNlaXZlci5l
eGFtcGxlhwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIB2OHT47YnBdo0qkCRUOfdFH
ZbxeMJgZB+Lov8ci/EMUAiEAhqU4cXe+hXUWkOLCNT/qgTsLX7DjQYAVRbdm06+E
oGk=
-----END CERTIFICATE-----
`;

export const testCertificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgA60zxcsCWoESKJK8
DXq7inEK8Pve/2Ksq0k6bgZQpvihRANCAATMZfNISq7KEJ86oE5eqw3A918grkS1
3Txb0TjRj+P3ZpvhWNVqsxm9pDdMQhwW8qD3ONY8i6sKzN5YmD2XvIkh
-----END PRIVATE KEY-----
`;
